//! The decoder of a streamed response, in both framings of the API.

use windlass_stream::Chunk;
use windlass_wire::{Body, DecodeError, Decoder, ResponseParser, StreamEvent, WireLimits};

use crate::array::ArrayStream;
use crate::reader::Reader;
use crate::whole::{decode_whole, empty};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The decoder of one streamed response.
#[derive(Debug)]
pub(crate) struct GeminiDecoder {
    framing: Framing,
    limits: WireLimits,
    reader: Reader,
}

/// The framing, detected at the first byte that is neither white space nor part of a BOM.
#[derive(Debug)]
enum Framing {
    Unknown(ResponseParser),
    Events(ResponseParser),
    Array(ArrayStream),
}

impl GeminiDecoder {
    pub(crate) fn new(limits: WireLimits) -> Self {
        Self { framing: Framing::Unknown(ResponseParser::new(limits)), limits, reader: Reader::default() }
    }
}

/// Reads one event. Gateways that translate from another format add `[DONE]`.
fn read(event: StreamEvent<'_>, reader: &mut Reader, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
    match event.data.trim() {
        "" | "[DONE]" => Ok(()),
        data => reader.read(data, event.number, chunks),
    }
}

/// Returns the first byte that decides the framing. The bytes of a BOM are skipped one by one, because a push
/// can split it.
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
                    let stream = std::mem::replace(stream, ResponseParser::new(*limits));
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
