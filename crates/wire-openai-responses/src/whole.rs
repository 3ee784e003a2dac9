//! Decodes a response that came as one body.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, WireLimits, read_whole_body, replace_lone_surrogates};

use crate::error::has_error;
use crate::event::Response;
use crate::names::NAME;
use crate::reader::Reader;

/// Decodes a body into the chunks that the same answer would have had as a stream.
pub(crate) fn decode_whole(
    body: &[u8],
    limits: WireLimits,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    read_whole_body(NAME, body, limits, &['{'], |text| read(text, chunks))
}

fn read(text: &str, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    let response: Response<'_> = match serde_json::from_str(text) {
        Ok(response) => response,
        Err(error) if error.is_data() => {
            return Err(DecodeError::Shape { wire: NAME, what: error.to_string() });
        }
        Err(source) => {
            return match replace_lone_surrogates(text) {
                Some(repaired) => read(&repaired, chunks),
                None => Err(DecodeError::Json { event: 1, source }),
            };
        }
    };
    let mut reader = Reader::default();
    if response.is_response() {
        reader.whole(&response, chunks);
    } else if has_error(text) {
        reader.error(text, chunks);
    } else {
        let what = "a JSON object that is neither a response nor an error".to_owned();
        return Err(DecodeError::Shape { wire: NAME, what });
    }
    Ok(())
}
