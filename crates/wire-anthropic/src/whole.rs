//! Decodes a response that came as one body.

use serde_json::Value;
use windlass_stream::Chunk;
use windlass_wire::{DecodeError, WireLimits, read_whole_body, replace_lone_surrogates};

use crate::error::stream_error;
use crate::event::WireMessage;
use crate::names::NAME;
use crate::reader::Reader;

impl Reader {
    /// Decodes a body into the chunks that the same answer would have had as a stream.
    pub(crate) fn decode_body(
        body: &[u8],
        limits: WireLimits,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        read_whole_body(NAME, body, limits, &['{'], |text| Self::read_body(text, chunks))
    }

    fn read_body(text: &str, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        // Blocks are parsed later, so repair lone surrogates in them now.
        if let Some(repaired) = replace_lone_surrogates(text) {
            return Self::read_body(&repaired, chunks);
        }
        let message: WireMessage<'_> = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) if error.is_data() => {
                return Err(DecodeError::Shape { wire: NAME, what: error.to_string() });
            }
            Err(source) => return Err(DecodeError::Json { event: 1, source }),
        };
        if let Some(error) = message.error {
            let value = serde_json::from_str(error.get()).unwrap_or(Value::Null);
            chunks.push(Chunk::Error { error: stream_error(&value) });
            return Ok(());
        }
        if message.content.is_none() || message.kind.0 != "message" {
            let what = "a JSON object that is neither a message nor an error".to_owned();
            return Err(DecodeError::Shape { wire: NAME, what });
        }
        Self::default().whole(message, chunks);
        Ok(())
    }
}
