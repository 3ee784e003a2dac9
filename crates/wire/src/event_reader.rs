//! The part of a decoder that differs between formats with server-sent events.

use windlass_stream::Chunk;

use crate::{DecodeError, WireLimits};

/// Reader of a format's events: the part of a [`Decoder`](crate::Decoder) that differs between formats with server-sent
/// events. [`EventDecoder`](crate::EventDecoder) does the rest.
///
/// ```
/// use windlass_stream::Chunk;
/// use windlass_wire::{DecodeError, Decoder, EventDecoder, EventReader, WireLimits};
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
///     fn decode_whole(body: &[u8], _: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
///         chunks.push(Chunk::text(String::from_utf8_lossy(body)));
///         Ok(())
///     }
/// }
///
/// let mut chunks = Vec::new();
/// let mut decoder = EventDecoder::<Lines>::new(WireLimits::default());
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
    fn decode_whole(body: &[u8], limits: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError>;
}
