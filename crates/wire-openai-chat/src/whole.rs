//! Decodes a response that came as one body.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, WireLimits};

use crate::names::NAME;
use crate::reader::{Reader, Source};

/// Decodes a body into the chunks that the same answer would have had as a stream.
pub(crate) fn decode_whole(
    body: &[u8],
    limits: WireLimits,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    if body.len() > limits.body_bytes {
        return Err(DecodeError::Limit { what: "bytes of a whole body", limit: limits.body_bytes });
    }
    let text = windlass_wire::decode_text(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with('{') {
        return Err(DecodeError::from_foreign_body(NAME, text.as_bytes()));
    }
    let before = chunks.len();
    let mut reader = Reader::default();
    reader.read(text, 1, Source::Whole, chunks)?;
    reader.finish_message(chunks);
    reader.end(chunks);
    match chunks.get(before..) {
        Some([Chunk::Unknown(_)] | []) | None => {
            chunks.truncate(before);
            let what = "a JSON object without choices and without an error".to_owned();
            Err(DecodeError::Shape { wire: NAME, what })
        }
        Some(_) => Ok(()),
    }
}
