//! The decoder of formats that stream server-sent events, and the parser that splits the response into events.

use windlass_sse::Parser;
use windlass_stream::Chunk;

use crate::response_form::{Form, detect_form};
use crate::{Body, DecodeError, Decoder, EventReader, StreamEvent, WireLimits};

/// The maximum number of bytes to keep from a body without events, for an error message.
const HEAD_BYTES: usize = 200;

/// Decoder of one streamed response in a format with server-sent events.
#[derive(Debug)]
pub struct EventDecoder<R> {
    stream: ResponseParser,
    limits: WireLimits,
    reader: R,
}

impl<R: EventReader> EventDecoder<R> {
    /// Creates a decoder for one response.
    pub fn new(limits: WireLimits) -> Self {
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
                Err(DecodeError::NotJson { wire: R::WIRE, what: "an empty body".to_owned() })
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

/// A parser that splits a streamed response into its events and detects a body that is not a stream.
///
/// A gateway may answer a streaming request with status 200 and a plain JSON body, a web page or an empty
/// body. Every format must distinguish such a body from a stream (RULES S12), so the check is implemented
/// here once. A last event without its final line break is still accepted if it is complete.
///
/// ```
/// use windlass_wire::{Body, ResponseParser, WireLimits};
/// let mut seen = Vec::new();
/// let mut stream = ResponseParser::new(WireLimits::default());
/// stream.push(b"data: {}\n\ndata: [DO", |event| Ok(seen.push(event.data.to_owned())))?;
/// let body = stream.finish(|event| Ok(seen.push(event.data.to_owned())))?;
/// assert_eq!(seen, ["{}", "[DO"]);
/// assert_eq!(body, Body::Events);
///
/// let mut stream = ResponseParser::new(WireLimits::default());
/// stream.push(br#"{"error":{}}"#, |_| Ok(()))?;
/// assert_eq!(stream.finish(|_| Ok(()))?, Body::Plain(br#"{"error":{}}"#.to_vec()));
/// # Ok::<(), windlass_wire::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct ResponseParser {
    parser: Parser,
    limits: WireLimits,
    form: Form,
    events: usize,
    plain: Vec<u8>,
}

impl ResponseParser {
    /// Creates a parser with the given limits.
    pub fn new(limits: WireLimits) -> Self {
        let sse = windlass_sse::SseLimits::default()
            .with_line_bytes(limits.event_bytes)
            .with_event_bytes(limits.event_bytes);
        Self { parser: Parser::with_limits(sse), limits, form: Form::Unknown, events: 0, plain: Vec::new() }
    }

    /// Parses the next bytes and passes each complete event to `on_event`.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded or `on_event` fails; `on_event` is not called again in this
    /// push.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut on_event: impl FnMut(StreamEvent<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        if self.form == Form::Unknown {
            self.form = detect_form(bytes);
        }
        if self.form == Form::Plain {
            let limit = self.limits.body_bytes;
            if bytes.len() > limit.saturating_sub(self.plain.len()) {
                return Err(DecodeError::Limit { what: "bytes of a whole body", limit });
            }
            self.plain.extend_from_slice(bytes);
            return Ok(());
        }
        if self.events == 0 {
            let room = HEAD_BYTES.saturating_sub(self.plain.len());
            self.plain.extend(bytes.iter().take(room));
        }
        self.read(bytes, &mut on_event)
    }

    /// Ends the response and returns the kind of its body.
    ///
    /// # Errors
    /// Returns the same errors as [`push`](Self::push). A last event that is truncated is dropped without an
    /// error, because the format's decoder already detects the missing end of the stream.
    pub fn finish(
        &mut self,
        mut on_event: impl FnMut(StreamEvent<'_>) -> Result<(), DecodeError>,
    ) -> Result<Body, DecodeError> {
        if self.form != Form::Plain {
            match self.read(b"\n\n", &mut on_event) {
                Ok(()) | Err(DecodeError::Json { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if self.events > 0 { Ok(Body::Events) } else { Ok(Body::Plain(std::mem::take(&mut self.plain))) }
    }

    fn read(
        &mut self,
        bytes: &[u8],
        on_event: &mut dyn FnMut(StreamEvent<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let Self { parser, limits, events, .. } = self;
        let mut outcome = Ok(());
        let read = parser.push(bytes, |event| {
            if outcome.is_err() {
                return;
            }
            *events = events.saturating_add(1);
            outcome = if *events > limits.events {
                Err(DecodeError::Limit { what: "events", limit: limits.events })
            } else {
                on_event(StreamEvent { number: *events, name: event.event, data: event.data })
            };
        });
        outcome?;
        read.map_err(|_| DecodeError::Limit { what: "bytes of one event", limit: limits.event_bytes })
    }
}
