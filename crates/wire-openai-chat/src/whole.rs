//! Decodes a response that came as one body.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, WireLimits, read_whole_body};

use crate::names::NAME;
use crate::reader::{Reader, Source};

/// Decodes a body into the chunks that the same answer would have had as a stream.
pub(crate) fn decode_whole(
    body: &[u8],
    limits: WireLimits,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    read_whole_body(NAME, body, limits, &['{'], |text| read(text, chunks))
}

fn read(text: &str, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
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
