//! The content block of a streamed message that is still open.

mod bounds;

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_stream::{CallChunk, CallKey, Chunk};
use windlass_wire::LenientStr;

use crate::event::Delta;
use crate::shape::Field;

/// A block whose start event has arrived and whose end event has not.
#[derive(Debug)]
pub(crate) enum OpenBlock {
    Text {
        /// The citations received so far. They are sent back with the text, because the API resolves later
        /// citations by them.
        citations: Vec<Value>,
    },
    Thinking {
        signature: String,
    },
    Redacted,
    Call {
        key: CallKey,
        /// The input of the start event, used if no delta follows (RULES S7).
        placeholder: Option<String>,
    },
    /// A block of an unknown type, stored whole and extended by its deltas (RULES P3).
    Unknown {
        block: Map<String, Value>,
        input: String,
    },
}

impl OpenBlock {
    /// Applies a delta. Returns `false` if this type of block does not have such a delta.
    pub(crate) fn push(&mut self, delta: &mut Delta<'_>, chunks: &mut Vec<Chunk>) -> bool {
        let mut take =
            |field, text: &mut LenientStr<'_>| self.push_text(field, std::mem::take(&mut text.0), chunks);
        match delta.kind.0.as_ref() {
            "text_delta" => return take(Field::Text, &mut delta.text),
            "thinking_delta" => return take(Field::Thinking, &mut delta.thinking),
            "input_json_delta" => return take(Field::PartialJson, &mut delta.partial_json),
            _ => {}
        }
        match (self, delta.kind.0.as_ref()) {
            (Self::Text { citations }, "citations_delta") => {
                let citation = delta.citation.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
                citations.extend(citation.clone());
                chunks.extend(citation.map(|value| Chunk::Grounding { value }));
            }
            (Self::Thinking { signature }, "signature_delta") => signature.push_str(&delta.signature.0),
            _ => return false,
        }
        true
    }

    /// Applies the text of a delta to `field`. Returns `false` if this type of block does not have the field.
    pub(crate) fn push_text(&mut self, field: Field, text: Cow<'_, str>, chunks: &mut Vec<Chunk>) -> bool {
        match (self, field) {
            (Self::Text { .. }, Field::Text) => speak(text, chunks),
            (Self::Thinking { .. }, Field::Thinking) => think(text, chunks),
            (Self::Call { key, placeholder }, Field::PartialJson) => {
                if !text.is_empty() {
                    *placeholder = None;
                    let arguments = text.into_owned();
                    chunks.push(Chunk::Call(CallChunk::Delta { key: *key, arguments }));
                }
            }
            (Self::Unknown { input, .. }, Field::PartialJson) => input.push_str(&text),
            _ => return false,
        }
        true
    }

    /// Applies a delta of unknown type: appends its strings to the block's fields of the same names and
    /// replaces other values. Returns `false` if the block itself has a known type.
    pub(crate) fn merge(&mut self, delta: Map<String, Value>) -> bool {
        let Self::Unknown { block, .. } = self else { return false };
        for (name, value) in delta.into_iter().filter(|(name, _)| name != "type") {
            match (block.get_mut(&name), value) {
                (Some(Value::String(before)), Value::String(more)) => before.push_str(&more),
                (_, Value::Null) => {}
                (_, value) => {
                    block.insert(name, value);
                }
            }
        }
        true
    }
}

fn speak(text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
    if !text.is_empty() {
        chunks.push(Chunk::text(text));
    }
}

fn think(text: Cow<'_, str>, chunks: &mut Vec<Chunk>) {
    if !text.is_empty() {
        chunks.push(Chunk::reasoning(text));
    }
}
