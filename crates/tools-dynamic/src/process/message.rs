//! What the two sides say to each other: one JSON object a line.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What a process said.
#[derive(Debug)]
pub(crate) enum Said {
    /// Its list of tools is another.
    Changed,
    /// How far a call is.
    Progress { id: u64, text: String },
    /// The one answer to a question.
    Answer { id: u64, answer: Answer },
}

/// An answer.
#[derive(Debug)]
pub(crate) enum Answer {
    Tools(Box<RawValue>),
    Text(String),
    Error(String),
    Content(Vec<Piece>),
}

/// A piece of what a tool gives back.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Piece {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) text: Option<String>,
    pub(crate) mime: Option<String>,
    pub(crate) data: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Written<'a> {
    id: Option<u64>,
    changed: Option<bool>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    progress: Option<String>,
    text: Option<String>,
    error: Option<String>,
    content: Option<Vec<Piece>>,
}

impl Said {
    /// Reads a line; nothing where it says nothing that is understood, or several things at once.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let written: Written<'_> = serde_json::from_slice(line).ok()?;
        let Written { id, changed, tools, progress, text, error, content } = written;
        let answers = [
            tools.map(|tools| Answer::Tools(tools.to_owned())),
            text.map(Answer::Text),
            error.map(Answer::Error),
            content.map(Answer::Content),
        ];
        let mut answers = answers.into_iter().flatten();
        match (id, changed, progress, answers.next(), answers.next()) {
            (None, Some(true), None, None, None) => Some(Self::Changed),
            (Some(id), None, Some(text), None, None) => Some(Self::Progress { id, text }),
            (Some(id), None, None, Some(answer), None) => Some(Self::Answer { id, answer }),
            _ => None,
        }
    }
}

/// The `id` in the beginning of a line that was too long to keep.
pub(crate) fn id_of_head(head: &[u8]) -> Option<u64> {
    struct Top<'a>(&'a Cell<Option<u64>>);
    impl<'de> Visitor<'de> for Top<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
            while let Some(key) = members.next_key::<Cow<'de, str>>()? {
                if key == "id" {
                    self.0.set(Some(members.next_value()?));
                } else {
                    members.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let id = Cell::new(None);
    // It ends in an error, because its end is missing.
    let _ = serde_json::Deserializer::from_slice(head).deserialize_map(Top(&id));
    id.get()
}

/// Asks for the tools.
pub(crate) fn list(id: u64) -> Vec<u8> {
    line(&json!({ "id": id, "method": "list" }))
}

/// Calls a tool. The arguments are JSON that was read before, as the model wrote them.
pub(crate) fn call(id: u64, tool: &str, call_id: &str, arguments: &str) -> Vec<u8> {
    // Between the words of JSON a line end is a space; inside of its strings none can stand.
    let arguments = arguments.replace(['\n', '\r'], " ");
    let (tool, call_id) = (Value::from(tool), Value::from(call_id));
    format!(
        "{{\"id\":{id},\"method\":\"call\",\"tool\":{tool},\"call_id\":{call_id},\"arguments\":{arguments}}}\n"
    )
    .into_bytes()
}

/// Nobody waits for an answer any more.
pub(crate) fn cancel(id: u64) -> Vec<u8> {
    line(&json!({ "method": "cancel", "id": id }))
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

#[cfg(test)]
mod tests;
