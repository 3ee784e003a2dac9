//! The decoder of a streamed response.

use windlass_stream::Chunk;
use windlass_wire::{Body, DecodeError, Decoder, EventStream, Limits, StreamEvent};

use crate::reader::{Reader, Source};
use crate::whole::decode_whole;
use crate::wire::NAME;

/// The decoder of one streamed response.
#[derive(Debug)]
pub(crate) struct ChatDecoder {
    stream: EventStream,
    limits: Limits,
    reader: Reader,
    done: bool,
}

impl ChatDecoder {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { stream: EventStream::new(limits), limits, reader: Reader::default(), done: false }
    }
}

/// Reads one event. Data after `[DONE]` that is not valid JSON is ignored (RULES S15).
fn read(
    event: StreamEvent<'_>,
    reader: &mut Reader,
    done: &mut bool,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    let data = event.data.trim();
    if data == "[DONE]" {
        *done = true;
        reader.done(chunks);
        return Ok(());
    }
    if data.is_empty() {
        return Ok(());
    }
    match reader.read(data, event.number, Source::Stream, chunks) {
        Err(DecodeError::Json { .. }) if *done => Ok(()),
        other => other,
    }
}

impl Decoder for ChatDecoder {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, done, .. } = self;
        stream.push(bytes, |event| read(event, reader, done, chunks))
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, done, limits } = self;
        match stream.finish(|event| read(event, reader, done, chunks))? {
            Body::Events => {
                reader.end(chunks);
                Ok(())
            }
            Body::Plain(body) if body.is_empty() => {
                Err(DecodeError::Shape { wire: NAME, what: "an empty body".to_owned() })
            }
            Body::Plain(body) => decode_whole(&body, *limits, chunks),
        }
    }
}
