//! Questions as elicitation forms.

use rmcp::model::{ElicitRequestParams, ElicitationSchema};
use serde_json::{Value, json};
use windlass_tool::Question;

use crate::Confirmation;

/// Names of the forms' fields.
const ALLOW: &str = "allow";
const COMMENT: &str = "comment";
const ANSWER: &str = "answer";

/// Key of a form without a name.
const QUESTION: &str = "question";

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
        /// The tool's name of the form.
        key: Option<String>,
        /// The text above the fields.
        message: String,
        /// The schema of the fields.
        schema: Value,
    },
}

impl Form {
    /// Returns the key of the form in the client's request and response.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Fields { key: Some(key), .. } => key,
            _ => QUESTION,
        }
    }

    /// Returns true if a client may answer before the form is shown. An approval and a tool's own question depend
    /// on their text, so they need a reply to that text.
    pub(crate) fn accepts_early_reply(&self) -> bool {
        matches!(self, Self::Fields { key: Some(_), .. })
    }

    /// Returns the parameters of the elicitation request.
    pub(crate) fn params(&self) -> Result<ElicitRequestParams, serde_json::Error> {
        let (message, properties, required) = match self {
            Self::Fields { message, schema, .. } => return form(message.clone(), schema.clone()),
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
