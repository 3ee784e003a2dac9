//! Questions as forms that a client shows.

use rmcp::model::{ElicitRequestParams, ElicitationSchema};
use serde_json::{Value, json};
use windlass_tool::Question;

use crate::Confirmation;

/// The names of a form's fields.
const ALLOW: &str = "allow";
const COMMENT: &str = "comment";
const ANSWER: &str = "answer";

/// A question for a human behind a client.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Whether something may be done.
    Confirm {
        /// What, in full.
        words: String,
    },
    /// A question of a tool.
    Question(Question),
}

impl Form {
    /// The form as a client gets it.
    pub(crate) fn params(&self) -> Result<ElicitRequestParams, serde_json::Error> {
        let (message, properties, required) = match self {
            Self::Confirm { words } => (
                words.clone(),
                // No default is yes: a form that is sent as it came has allowed nothing.
                json!({
                    ALLOW: {"type": "boolean", "title": "Run it, this once", "default": false},
                    COMMENT: {"type": "string", "title": "If not: why, or what to do instead"},
                }),
                ALLOW,
            ),
            Self::Question(question) => {
                (asked(question), json!({ ANSWER: {"type": "string", "title": "Answer"} }), ANSWER)
            }
        };
        let schema = json!({"type": "object", "properties": properties, "required": [required]});
        let requested_schema: ElicitationSchema = serde_json::from_value(schema)?;
        Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
    }

    /// What a form says that was sent back.
    pub(crate) fn confirmed(filled: &Value) -> Confirmation {
        if filled.get(ALLOW) == Some(&Value::Bool(true)) {
            return Confirmation::Yes;
        }
        let comment = filled.get(COMMENT).and_then(Value::as_str).map(str::trim);
        Confirmation::No(comment.filter(|comment| !comment.is_empty()).map(str::to_owned))
    }

    /// The answer to a tool's question.
    pub(crate) fn answered(filled: &Value) -> Option<String> {
        filled.get(ANSWER)?.as_str().map(str::to_owned)
    }
}

fn asked(question: &Question) -> String {
    let mut message = question.text.clone();
    for suggestion in &question.suggestions {
        message.push_str("\n- ");
        message.push_str(suggestion);
    }
    message
}
