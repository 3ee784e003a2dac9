//! Scripts of models that violate a schema.

use serde_json::{Value, json};
use windlass_agent::Agent;
use windlass_mock::ScriptedModel;
use windlass_protocol::{
    Capabilities, Message, RawJson, Request, RequestOptions, Support, ToolChoice, ToolName, ToolProtocol,
    ToolSpec,
};
use windlass_wire::Wire;

use super::sources::Subject;

/// The path of an answer from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// The provider enforces the schema of the text.
    Schema,
    /// The answer is the arguments of a call.
    Call,
    /// The task has the schema in words.
    Text,
}

impl Path {
    pub(super) const ALL: [Self; 3] = [Self::Schema, Self::Call, Self::Text];

    /// Returns an agent whose typed answers take this path.
    pub(super) fn agent(self, model: ScriptedModel) -> Agent {
        let structured_output = if self == Self::Schema { Support::Unknown } else { Support::No };
        let choice = if self == Self::Text { ToolChoice::None } else { ToolChoice::Auto };
        let builder = Agent::builder().model(model, "scripted-1").protocols([ToolProtocol::Native]);
        let builder = builder.capabilities(Capabilities { structured_output, ..Capabilities::default() });
        builder.request_options(RequestOptions::default().with_tool_choice(choice)).build().unwrap()
    }
}

/// Returns whether a format takes a tool with the schema. It does not take the words for types that are not of JSON
/// Schema, which some schemas of BFCL have and which a client translates.
pub(super) fn takes_call(wire: &dyn Wire, subject: &Subject) -> bool {
    let schema = RawJson::from(&subject.schema);
    let tool = ToolSpec::function(ToolName::new("answer").unwrap(), "Takes the answer.", schema);
    let request = Request::new("scripted-1", vec![Message::user("task")]).with_tools(vec![tool]);
    wraps(&subject.schema) || wire.check(&request).is_empty()
}

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
    /// The value after a correction.
    Returned,
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
    pub(super) fn script(self, subject: &Subject, path: Path) -> Option<(Value, Expected)> {
        let text =
            |value: &Value| if wraps(&subject.schema) { json!({ "answer": value }) } else { value.clone() };
        let right = text(&subject.value).to_string();
        // The text of an answer, or the arguments of a call as the model writes them.
        let step = |text: &str| match path {
            Path::Call => json!({ "call": { "name": "answer", "arguments": text } }),
            Path::Schema | Path::Text => json!({ "text": text }),
        };
        let turn = |text: &str| json!({ "steps": [step(text)], "piece": 9 });
        let (first, expected) = match self {
            Self::None => (turn(&right), Expected::AtOnce),
            Self::Prose if path == Path::Call => {
                let steps = json!([{ "text": "Of course, it is as [1] says." }, step(&right)]);
                (json!({ "steps": steps, "piece": 9 }), Expected::AtOnce)
            }
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
                (turn, if path == Path::Call { Expected::Returned } else { Expected::Failed })
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
