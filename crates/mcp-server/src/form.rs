//! Questions as elicitation forms.

use rmcp::model::{ElicitRequestParams, ElicitationSchema};
use serde_json::{Value, json};
use windlass_tool::Question;

use crate::Confirmation;

/// Names of the forms' fields.
const ALLOW: &str = "allow";
const COMMENT: &str = "comment";
const ANSWER: &str = "answer";

/// A question to the human at the client.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A request to approve a call.
    Confirm {
        /// The complete text of the request.
        words: String,
    },
    /// A tool's own question.
    Question(Question),
    /// A form with fields of the tool.
    Fields {
        /// The text above the fields.
        message: String,
        /// The schema of the fields.
        schema: Value,
    },
}

impl Form {
    /// Returns the parameters of the elicitation request.
    pub(crate) fn params(&self) -> Result<ElicitRequestParams, serde_json::Error> {
        let (message, properties, required) = match self {
            Self::Fields { message, schema } => return form(message.clone(), schema.clone()),
            Self::Confirm { words } => (
                words.clone(),
                // The default refuses, so that a form that is submitted unchanged does not approve.
                json!({
                    ALLOW: {"type": "boolean", "title": "Run it once", "default": false},
                    COMMENT: {"type": "string", "title": "If not: why, or what to do instead"},
                }),
                ALLOW,
            ),
            Self::Question(question) => {
                (question_text(question), json!({ ANSWER: {"type": "string", "title": "Answer"} }), ANSWER)
            }
        };
        let schema = json!({"type": "object", "properties": properties, "required": [required]});
        form(message, schema)
    }

    /// Parses the submitted form of an approval.
    pub(crate) fn parse_confirmation(filled: &Value) -> Confirmation {
        if filled.get(ALLOW) == Some(&Value::Bool(true)) {
            return Confirmation::Yes;
        }
        let comment = filled.get(COMMENT).and_then(Value::as_str).map(str::trim);
        Confirmation::No(comment.filter(|comment| !comment.is_empty()).map(str::to_owned))
    }

    /// Parses the submitted form of a tool's question.
    pub(crate) fn parse_answer(filled: &Value) -> Option<String> {
        filled.get(ANSWER)?.as_str().map(str::to_owned)
    }
}

fn form(message: String, schema: Value) -> Result<ElicitRequestParams, serde_json::Error> {
    let requested_schema: ElicitationSchema = serde_json::from_value(schema)?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

fn question_text(question: &Question) -> String {
    let mut message = question.text.clone();
    for suggestion in &question.suggestions {
        message.push_str("\n- ");
        message.push_str(suggestion);
    }
    message
}
