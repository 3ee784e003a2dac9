//! The decoder of a streamed response.

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, EventReader, WireLimits};

use crate::names::NAME;
use crate::reader::Reader;
use crate::whole;

impl EventReader for Reader {
    const WIRE: &'static str = NAME;

    fn read_event(&mut self, data: &str, number: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        self.read(data, number, chunks)
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) {
        self.abandon(chunks);
    }

    fn decode_whole(body: &[u8], limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        whole::decode_whole(body, limits, chunks)
    }
}
