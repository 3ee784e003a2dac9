//! Reads a streamed response, in either of its framings.

use windlass_stream::Chunk;
use windlass_wire::{Body, DecodeError, Decoder, EventStream, Limits, StreamEvent};

use crate::array::ArrayStream;
use crate::reader::Reader;
use crate::whole::{decode_whole, empty};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads one streamed response.
#[derive(Debug)]
pub(crate) struct GeminiDecoder {
    framing: Framing,
    limits: Limits,
    reader: Reader,
}

/// The framing, known from the first byte that is no white space.
#[derive(Debug)]
enum Framing {
    Unknown(EventStream),
    Events(EventStream),
    Array(ArrayStream),
}

impl GeminiDecoder {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { framing: Framing::Unknown(EventStream::new(limits)), limits, reader: Reader::default() }
    }
}

/// Reads one event. `[DONE]` is what gateways of another format add.
fn read(event: StreamEvent<'_>, reader: &mut Reader, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    match event.data.trim() {
        "" | "[DONE]" => Ok(()),
        data => reader.read(data, event.number, chunks),
    }
}

/// The first byte that tells the framing. A byte order mark can be cut; its single bytes begin neither.
fn first(bytes: &[u8]) -> Option<u8> {
    let tells = |byte: &&u8| !byte.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(byte);
    bytes.iter().find(tells).copied()
}

impl Decoder for GeminiDecoder {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { framing, limits, reader } = self;
        if let Framing::Unknown(stream) = framing {
            match first(bytes) {
                Some(b'[') => *framing = Framing::Array(ArrayStream::new(*limits)),
                Some(_) => {
                    let stream = std::mem::replace(stream, EventStream::new(*limits));
                    *framing = Framing::Events(stream);
                }
                None => {}
            }
        }
        match framing {
            Framing::Unknown(stream) | Framing::Events(stream) => {
                stream.push(bytes, |event| read(event, reader, chunks))
            }
            Framing::Array(array) => {
                array.push(bytes, |number, element| reader.read(element, number, chunks))
            }
        }
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { framing, limits, reader } = self;
        match framing {
            Framing::Array(array) if array.elements() == 0 && !array.is_inside() => return Err(empty()),
            Framing::Array(_) => {}
            Framing::Unknown(stream) | Framing::Events(stream) => {
                match stream.finish(|event| read(event, reader, chunks))? {
                    Body::Events => {}
                    Body::Plain(body) if body.is_empty() => return Err(empty()),
                    Body::Plain(body) => return decode_whole(&body, *limits, chunks),
                }
            }
        }
        reader.end(chunks);
        Ok(())
    }
}
