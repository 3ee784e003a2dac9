//! Answers of clients, and the schema that describes them.

use serde_json::{Value, json};
use windlass_app::feed::Question;
use windlass_app::sessions::Answer;

/// Returns the reason of an interrupt.
pub(crate) fn reason(card: &Question) -> &'static str {
    match card {
        Question::Call { .. } => "tool_call",
        Question::Guidance { .. } => "guidance",
        _ => "input_required",
    }
}

/// Returns the question as text.
pub(crate) fn message(card: &Question) -> &str {
    match card {
        Question::Call { card } => &card.text,
        Question::Guidance { text } | Question::Words { text, .. } => text,
        _ => "",
    }
}

/// Returns the JSON schema of an answer.
pub(crate) fn response_schema(card: &Question) -> Value {
    match card {
        Question::Call { card } => {
            let mut properties = json!({
                "approved": { "type": "boolean" },
                "comment": { "type": "string" },
                "later": { "type": "boolean" },
            });
            if card.can_remember {
                properties["remember"] = json!({ "type": "boolean", "description": card.scope });
            }
            json!({ "type": "object", "properties": properties, "required": ["approved"] })
        }
        _ => json!({
            "type": "object",
            "properties": { "approved": { "type": "boolean" }, "words": { "type": "string" } },
        }),
    }
}

/// Returns the answer of a payload: a truth value, a text, or an object with the members `approved`, `remember`,
/// `comment`, `words` and `later`. Returns `None` for other values.
pub(crate) fn read_payload(payload: &Value) -> Option<Answer> {
    match payload {
        Value::Bool(is_approved) => Some(decide(*is_approved, false, None)),
        Value::String(text) => Some(Answer::Words { text: text.clone() }),
        Value::Object(fields) => {
            let flag = |name: &str| match fields.get(name) {
                None | Some(Value::Null) => Some(false),
                Some(value) => value.as_bool(),
            };
            if flag("later")? {
                return Some(Answer::Later);
            }
            if let Some(words) = fields.get("words") {
                return Some(Answer::Words { text: words.as_str()?.to_owned() });
            }
            let comment = match fields.get("comment") {
                None | Some(Value::Null) => None,
                Some(comment) => Some(comment.as_str()?.to_owned()),
            };
            Some(decide(fields.get("approved")?.as_bool()?, flag("remember")?, comment))
        }
        _ => None,
    }
}

/// Returns the answer of a decision. A comment without text is left out.
pub(crate) fn decide(is_approved: bool, is_remembered: bool, comment: Option<String>) -> Answer {
    let comment = comment.filter(|comment| !comment.is_empty());
    match (is_approved, is_remembered) {
        (true, true) => Answer::Session { comment },
        (true, false) => Answer::Once { comment },
        (false, _) => Answer::No { comment },
    }
}
