//! Scripts of models that violate a schema.

use serde_json::{Value, json};

use super::sources::Subject;

/// A defect of the model's first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Violation {
    /// The answer is right.
    None,
    /// Prose and a code fence surround the answer.
    Prose,
    /// A required member is missing.
    MissingField,
    /// A value has another kind.
    WrongType,
    /// The connection breaks in mid-answer.
    Cut,
    /// The answer ends in the middle, as the provider's limit of tokens ends it.
    Truncated,
    /// Every answer is prose.
    Always,
}

pub(super) const VIOLATIONS: [Violation; 7] = [
    Violation::None,
    Violation::Prose,
    Violation::MissingField,
    Violation::WrongType,
    Violation::Cut,
    Violation::Truncated,
    Violation::Always,
];

/// The end that a run must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// The value, without a correction.
    AtOnce,
    /// The value after a correction, or a changed value that fits too.
    Corrected,
    /// An error after all corrections.
    Never,
    /// An error without a correction, because the next answer would be cut too.
    Failed,
}

/// Returns whether the answer for a schema is the member of an object.
pub(super) fn wraps(schema: &Value) -> bool {
    let combined = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];
    let is_object = schema.get("type").is_some_and(|kind| kind == "object" || kind == "dict");
    !is_object || combined.into_iter().any(|keyword| schema.get(keyword).is_some())
}

impl Violation {
    /// Returns the script of a model with this defect, or `None` if the value cannot have the defect.
    pub(super) fn script(self, subject: &Subject) -> Option<(Value, Expected)> {
        let text =
            |value: &Value| if wraps(&subject.schema) { json!({ "answer": value }) } else { value.clone() };
        let right = text(&subject.value).to_string();
        let turn = |text: &str| json!({ "steps": [{ "text": text }], "piece": 9 });
        let (first, expected) = match self {
            Self::None => (turn(&right), Expected::AtOnce),
            Self::Prose => {
                (turn(&format!("Of course:\n```json\n{right}\n```\nIt is as [1] says.")), Expected::AtOnce)
            }
            Self::MissingField => {
                (turn(&without_member(text(&subject.value), subject)?.to_string()), Expected::Corrected)
            }
            Self::WrongType => (turn(&text(&other_kind(&subject.value)).to_string()), Expected::Corrected),
            Self::Cut => {
                let mut turn = turn(&right);
                turn["hostile"] = json!({ "switch": "cut", "after_bytes": 400, "times": 1 });
                (turn, Expected::AtOnce)
            }
            Self::Truncated => {
                let end = right.floor_char_boundary(right.len() / 2);
                let mut turn = turn(&right[..end]);
                turn["finish"] = json!("length");
                (turn, Expected::Failed)
            }
            Self::Always => {
                return Some((json!({ "turns": [], "fallback": "I do not know." }), Expected::Never));
            }
        };
        Some((json!({ "turns": [first, turn(&right)], "fallback": right }), expected))
    }
}

/// Removes the first required member, or the member around a value that is not an object.
fn without_member(mut text: Value, subject: &Subject) -> Option<Value> {
    let members = text.as_object_mut()?;
    if wraps(&subject.schema) {
        let value = members.remove("answer")?;
        members.insert("result".to_owned(), value);
    } else {
        let required = subject.schema["required"].as_array()?.first()?.as_str()?;
        members.remove(required)?;
    }
    Some(text)
}

/// Returns a value of another kind, or an object or list with such a value inside.
fn other_kind(value: &Value) -> Value {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let mut members = members.clone();
            if let Some(first) = members.values_mut().next() {
                *first = other_kind(first);
            }
            Value::Object(members)
        }
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            items[0] = other_kind(&items[0]);
            Value::Array(items)
        }
        Value::String(_) => json!({ "wrong": ["kind"] }),
        _ => json!("a text of another kind"),
    }
}
