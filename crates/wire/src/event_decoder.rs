//! The decoder of formats that stream server-sent events.

use windlass_stream::Chunk;

use crate::{Body, DecodeError, Decoder, Limits, ResponseParser, StreamEvent};

/// Reader of a format's events: the part of a [`Decoder`] that differs between formats with server-sent
/// events. [`EventDecoder`] does the rest.
///
/// ```
/// use windlass_stream::Chunk;
/// use windlass_wire::{DecodeError, Decoder, EventDecoder, EventReader, Limits};
///
/// /// A format in which the data of each event is text.
/// #[derive(Default)]
/// struct Lines;
///
/// impl EventReader for Lines {
///     const WIRE: &'static str = "lines";
///
///     fn read_event(&mut self, data: &str, _: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(data));
///         Ok(())
///     }
///     fn finish(&mut self, _: &mut Vec<Chunk>) {}
///     fn decode_whole(body: &[u8], _: Limits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(String::from_utf8_lossy(body)));
///         Ok(())
///     }
/// }
///
/// let mut chunks = Vec::new();
/// let mut decoder = EventDecoder::<Lines>::new(Limits::default());
/// decoder.push(b"data: a\n\ndata: [DO", &mut chunks)?;
/// decoder.push(b"NE]\n\n", &mut chunks)?;
/// decoder.finish(&mut chunks)?;
/// assert_eq!(chunks, [Chunk::text("a")]);
/// # Ok::<(), DecodeError>(())
/// ```
pub trait EventReader: Default + Send {
    /// Name of the wire format, for errors.
    const WIRE: &'static str;

    /// Reads the data of the event with this number, counted from 1. Data that is empty and the mark `[DONE]`
    /// do not arrive here.
    ///
    /// # Errors
    /// If the data does not have the format.
    fn read_event(&mut self, data: &str, number: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;

    /// Reads the mark `[DONE]`. Gateways that translate from OpenAI's format add it to other formats, where it
    /// does not prove that the answer is complete, so the default ignores it.
    fn read_done(&mut self, _chunks: &mut Vec<Chunk>) {}

    /// Reads the end of a stream that had events.
    fn finish(&mut self, chunks: &mut Vec<Chunk>);

    /// Decodes a body that arrived in place of a stream.
    ///
    /// # Errors
    /// If the body does not have the format or exceeds a limit.
    fn decode_whole(body: &[u8], limits: Limits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;
}

/// Decoder of one streamed response in a format with server-sent events.
#[derive(Debug)]
pub struct EventDecoder<R> {
    stream: ResponseParser,
    limits: Limits,
    reader: R,
}

impl<R: EventReader> EventDecoder<R> {
    /// Creates a decoder for one response.
    pub fn new(limits: Limits) -> Self {
        Self { stream: ResponseParser::new(limits), limits, reader: R::default() }
    }
}

impl<R: EventReader> Decoder for EventDecoder<R> {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, .. } = self;
        stream.push(bytes, |event| read(event, reader, chunks))
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let Self { stream, reader, limits } = self;
        match stream.finish(|event| read(event, reader, chunks))? {
            Body::Events => {
                reader.finish(chunks);
                Ok(())
            }
            Body::Plain(body) if body.is_empty() => {
                Err(DecodeError::Shape { wire: R::WIRE, what: "an empty body".to_owned() })
            }
            Body::Plain(body) => R::decode_whole(&body, *limits, chunks),
        }
    }
}

/// Reads one event. The name of the event is ignored: formats repeat it in the data, and gateways drop it.
fn read<R: EventReader>(
    event: StreamEvent<'_>,
    reader: &mut R,
    chunks: &mut Vec<Chunk>,
) -> Result<(), DecodeError> {
    match event.data.trim() {
        "" => Ok(()),
        "[DONE]" => {
            reader.read_done(chunks);
            Ok(())
        }
        data => reader.read_event(data, event.number, chunks),
    }
}
