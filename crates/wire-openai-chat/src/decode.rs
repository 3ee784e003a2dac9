//! The decoder of a streamed response.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, EventReader, WireLimits};

use crate::names::NAME;
use crate::reader::{Reader, Source};
use crate::whole;

/// Reader of a stream, which knows whether `[DONE]` has arrived.
#[derive(Debug, Default)]
pub(crate) struct ChatReader {
    reader: Reader,
    is_done: bool,
}

impl EventReader for ChatReader {
    const WIRE: &'static str = NAME;

    /// Data after `[DONE]` that is not valid JSON is ignored (RULES S15).
    fn read_event(&mut self, data: &str, number: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        match self.reader.read(data, number, Source::Stream, chunks) {
            Err(DecodeError::Json { .. }) if self.is_done => Ok(()),
            other => other,
        }
    }

    fn read_done(&mut self, chunks: &mut Vec<Chunk>) {
        self.is_done = true;
        self.reader.finish_message(chunks);
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) {
        self.reader.end(chunks);
    }

    fn decode_whole(body: &[u8], limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        whole::decode_whole(body, limits, chunks)
    }
}
