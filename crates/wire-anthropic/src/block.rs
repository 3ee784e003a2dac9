//! The content block of a streamed message that is still open.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Unknown};
use windlass_stream::{CallChunk, CallKey, Chunk};
use windlass_wire::LenientStr;

use crate::event::{Block, Delta};
use crate::marks;
use crate::names::{BLOCK_FIELD, NAME};
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
    /// Opens a block and pushes the content that its start event already has. Returns `None` if the block is
    /// not a JSON object of a readable shape.
    pub(crate) fn open(raw: &RawValue, key: CallKey, chunks: &mut Vec<Chunk>) -> Option<Self> {
        let block: Block<'_> = serde_json::from_str(raw.get()).ok()?;
        match block.kind.0.as_ref() {
            "text" => {
                speak(block.text.0, chunks);
                let citations = values(block.citations);
                chunks.extend(citations.iter().map(|value| Chunk::Grounding { value: value.clone() }));
                Some(Self::Text { citations })
            }
            "thinking" => {
                think(block.thinking.0, chunks);
                Some(Self::Thinking { signature: block.signature.0.into_owned() })
            }
            "redacted_thinking" => {
                let value = json!({ "type": "redacted_thinking", "data": block.data.0 });
                chunks.push(Chunk::ReasoningEnd { opaque: Some(Opaque::new(NAME, value)) });
                Some(Self::Redacted)
            }
            "tool_use" => {
                let id = (!block.id.0.is_empty()).then(|| block.id.0.into_owned());
                let opaque = block.caller.and_then(caller);
                let name = block.name.0.into_owned();
                chunks.push(Chunk::Call(CallChunk::Start { key, id, name, opaque }));
                Some(Self::Call { key, placeholder: block.input.and_then(placeholder) })
            }
            _ => match serde_json::from_str(raw.get()) {
                Ok(Value::Object(block)) => Some(Self::Unknown { block, input: String::new() }),
                _ => None,
            },
        }
    }

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

    /// Closes the block and pushes its final chunk.
    pub(crate) fn close(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Text { citations } => chunks.push(Chunk::TextEnd { opaque: cited(&citations) }),
            Self::Redacted => {}
            Self::Thinking { signature } => chunks.push(Chunk::ReasoningEnd { opaque: signed(&signature) }),
            Self::Call { key, placeholder } => {
                chunks.push(Chunk::Call(CallChunk::End { key, arguments: placeholder }));
            }
            Self::Unknown { block, input } => chunks.push(unknown(block, &input)),
        }
    }

    /// Ends the block without its end event, because the stream ended or the next message began. A call or an
    /// unknown block counts as cut and pushes nothing. Thinking keeps its text, but a signature that may be
    /// incomplete is dropped.
    pub(crate) fn abandon(self, chunks: &mut Vec<Chunk>) {
        if let Self::Thinking { .. } = self {
            chunks.push(Chunk::ReasoningEnd { opaque: None });
        }
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

fn signed(signature: &str) -> Option<Opaque> {
    let is_signed = !signature.is_empty();
    is_signed.then(|| Opaque::new(NAME, json!({ "type": "thinking", "signature": signature })))
}

fn cited(citations: &[Value]) -> Option<Opaque> {
    let fields = json!({ marks::BLOCK: { "citations": citations } });
    (!citations.is_empty()).then(|| Opaque::new(NAME, fields))
}

fn values(raw: Option<&RawValue>) -> Vec<Value> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Returns the `caller` of a call as opaque data, or `None` for `direct`, which every call of the model
/// itself has. Any other caller has to be sent back with the call.
fn caller(raw: &RawValue) -> Option<Opaque> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    let is_direct = value.get("type").is_none_or(|kind| kind == "direct");
    (!is_direct).then(|| Opaque::new(NAME, json!({ "caller": value })))
}

/// Returns the input of a start event, or `None` for `{}` and `null`, which announce that the input follows
/// in deltas.
fn placeholder(raw: &RawValue) -> Option<String> {
    let text = raw.get();
    let is_empty = text == "null" || text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"{}");
    (!is_empty).then(|| text.to_owned())
}

fn unknown(mut block: Map<String, Value>, input: &str) -> Chunk {
    if let Ok(value) = serde_json::from_str(input) {
        block.insert("input".to_owned(), value);
    }
    Chunk::Unknown(Unknown::new(NAME, json!({ BLOCK_FIELD: block })))
}
