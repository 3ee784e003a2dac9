//! Messages of the protocol: one JSON object per line.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A message from a process.
#[derive(Debug)]
pub(crate) enum ProcessMessage {
    /// The list of tools has changed.
    Changed,
    /// Progress of a call.
    Progress { id: u64, text: String },
    /// Answer to a request.
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

/// A part of a tool's result.
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
struct RawMessage<'a> {
    id: Option<u64>,
    changed: Option<bool>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    progress: Option<String>,
    text: Option<String>,
    error: Option<String>,
    content: Option<Vec<Piece>>,
}

impl ProcessMessage {
    /// Parses a line. Returns `None` if it is not exactly one known message.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let written: RawMessage<'_> = serde_json::from_slice(line).ok()?;
        let RawMessage { id, changed, tools, progress, text, error, content } = written;
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

/// Returns the `id` in the start of a line that was too long to keep.
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
    // Parsing fails at the missing end, after `id` has been found.
    let _ = serde_json::Deserializer::from_slice(head).deserialize_map(Top(&id));
    id.get()
}

/// Encodes a request for the list of tools.
pub(crate) fn list(id: u64) -> Vec<u8> {
    line(&json!({ "id": id, "method": "list" }))
}

/// Encodes a call. `arguments` must be valid JSON and is sent as the model wrote it, on one line.
pub(crate) fn call(id: u64, tool: &str, call_id: &str, arguments: &str) -> Vec<u8> {
    // JSON strings cannot contain raw line ends, so each one is white space between tokens.
    let arguments = arguments.replace(['\n', '\r'], " ");
    let (tool, call_id) = (Value::from(tool), Value::from(call_id));
    format!(
        "{{\"id\":{id},\"method\":\"call\",\"tool\":{tool},\"call_id\":{call_id},\"arguments\":{arguments}}}\n"
    )
    .into_bytes()
}

/// Encodes a cancellation.
pub(crate) fn cancel(id: u64) -> Vec<u8> {
    line(&json!({ "method": "cancel", "id": id }))
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

#[cfg(test)]
mod tests;
