//! The decoder of a streamed response.

use windlass_stream::Chunk;
use windlass_wire::{Body, DecodeError, Decoder, EventStream, Limits, StreamEvent};

use crate::reader::Reader;
use crate::whole::decode_whole;
use crate::wire::NAME;

/// The decoder of one streamed response.
#[derive(Debug)]
pub(crate) struct AnthropicDecoder {
    stream: EventStream,
    limits: Limits,
    reader: Reader,
}

impl AnthropicDecoder {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { stream: EventStream::new(limits), limits, reader: Reader::default() }
    }
}

/// Reads one event. The data repeats the event's type, so the SSE event name is ignored; some gateways drop
/// it. Gateways that translate from OpenAI's format add `[DONE]`.
fn read(event: StreamEvent<'_>, reader: &mut Reader, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    match event.data.trim() {
        "" | "[DONE]" => Ok(()),
        data => reader.read(data, event.number, chunks),
    }
}

impl Decoder for AnthropicDecoder {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, .. } = self;
        stream.push(bytes, |event| read(event, reader, chunks))
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, limits } = self;
        match stream.finish(|event| read(event, reader, chunks))? {
            Body::Events => {
                reader.abandon(chunks);
                Ok(())
            }
            Body::Plain(body) if body.is_empty() => {
                Err(DecodeError::Shape { wire: NAME, what: "an empty body".to_owned() })
            }
            Body::Plain(body) => decode_whole(&body, *limits, chunks),
        }
    }
}
