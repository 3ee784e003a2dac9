//! The start and the end of a content block.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_protocol::{Opaque, Unknown};
use windlass_stream::{CallChunk, CallKey, Chunk, RangeUnit};

use super::{OpenBlock, speak, think};
use crate::event::Block;
use crate::names::{BLOCK_FIELD, NAME};
use crate::{marks, server_tools};

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

    /// Closes the block and pushes its final chunk.
    pub(crate) fn close(self, chunks: &mut Vec<Chunk>) {
        match self {
            Self::Text { citations } => {
                let typed = citations.iter().filter_map(server_tools::citation);
                let chunk = |citation| Chunk::Citation { citation, unit: RangeUnit::default() };
                chunks.extend(typed.map(chunk));
                chunks.push(Chunk::TextEnd { opaque: wrap_citations(&citations) });
            }
            Self::Redacted => {}
            Self::Thinking { signature } => chunks.push(Chunk::ReasoningEnd { opaque: signed(&signature) }),
            Self::Call { key, placeholder } => {
                chunks.push(Chunk::Call(CallChunk::End { key, arguments: placeholder }));
            }
            Self::Unknown { block, input } => push_unknown(block, &input, chunks),
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

fn signed(signature: &str) -> Option<Opaque> {
    let is_signed = !signature.is_empty();
    is_signed.then(|| Opaque::new(NAME, json!({ "type": "thinking", "signature": signature })))
}

fn wrap_citations(citations: &[Value]) -> Option<Opaque> {
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

fn push_unknown(mut block: Map<String, Value>, input: &str, chunks: &mut Vec<Chunk>) {
    if let Ok(value) = serde_json::from_str(input) {
        block.insert("input".to_owned(), value);
    }
    chunks.extend(server_tools::show_block(&block));
    chunks.push(Chunk::Unknown(Unknown::new(NAME, json!({ BLOCK_FIELD: block }))));
}
