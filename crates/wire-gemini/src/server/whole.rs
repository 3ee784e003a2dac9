//! Encodes an answer as one body.

use serde_json::{Map, Value, json};
use windlass_wire::{EncodeError, ResponseHead};

use crate::server::event::{Event, Part, UsageMetadata};

/// The content of an answer so far.
#[derive(Default)]
pub(crate) struct Whole {
    parts: Vec<Value>,
    /// True if the last part is text or reasoning that the next part can continue.
    grows: bool,
    candidate: Map<String, Value>,
    beside: Map<String, Value>,
    usage: Option<UsageMetadata>,
}

impl Whole {
    /// Merges the content of one event.
    pub(crate) fn take(&mut self, event: Event<'_>) -> Result<(), EncodeError> {
        let Event { candidate, usage, beside } = event;
        self.usage = usage.or(self.usage);
        self.beside.extend(beside);
        let Some((part, fields)) = candidate.map(super::event::Candidate::into_halves) else { return Ok(()) };
        self.candidate.extend(fields);
        match part {
            // An empty text only completes the candidate of an event.
            None | Some(Part::Words { text: "", signature: None, .. }) => Ok(()),
            Some(part) => self.part(&part),
        }
    }

    /// Appends a part. Adjacent texts without a signature become one part.
    fn part(&mut self, part: &Part<'_>) -> Result<(), EncodeError> {
        let grows = matches!(part, Part::Words { signature: None, .. });
        let joined = match (part, self.parts.last_mut()) {
            (Part::Words { text, thought, signature: None }, Some(Value::Object(last))) if self.grows => {
                let is_same = last.contains_key("thought") == *thought;
                match last.get_mut("text") {
                    Some(Value::String(words)) if is_same => {
                        words.push_str(text);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        if !joined {
            self.parts.push(serde_json::to_value(part)?);
        }
        self.grows = grows;
        Ok(())
    }

    /// Writes the body.
    pub(crate) fn write(&mut self, reply: &ResponseHead, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let mut body = std::mem::take(&mut self.beside);
        let mut candidate = std::mem::take(&mut self.candidate);
        let parts = std::mem::take(&mut self.parts);
        if !parts.is_empty() || !candidate.is_empty() {
            candidate.insert("content".to_owned(), json!({ "parts": parts, "role": "model" }));
            candidate.insert("index".to_owned(), 0.into());
            body.insert("candidates".to_owned(), json!([candidate]));
        }
        if let Some(usage) = self.usage {
            body.insert("usageMetadata".to_owned(), serde_json::to_value(usage)?);
        }
        body.insert("modelVersion".to_owned(), reply.model.as_str().into());
        body.insert("responseId".to_owned(), reply.id.as_str().into());
        serde_json::to_writer(bytes, &body)?;
        Ok(())
    }
}
