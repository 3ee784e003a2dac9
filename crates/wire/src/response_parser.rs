//! The events of a streamed response, or the plain body that was sent instead.

use windlass_sse::Parser;

use crate::{DecodeError, Limits};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The maximum number of bytes to keep from a body without events, for an error message.
const HEAD_BYTES: usize = 200;

/// A parser that splits a streamed response into its events and detects a body that is not a stream.
///
/// A gateway may answer a streaming request with status 200 and a plain JSON body, a web page or an empty
/// body. Every format must distinguish such a body from a stream (RULES S12), so the check is implemented
/// here once. A last event without its final line break is still accepted if it is complete.
///
/// ```
/// use windlass_wire::{Body, ResponseParser, Limits};
/// let mut seen = Vec::new();
/// let mut stream = ResponseParser::new(Limits::default());
/// stream.push(b"data: {}\n\ndata: [DO", |event| Ok(seen.push(event.data.to_owned())))?;
/// let body = stream.finish(|event| Ok(seen.push(event.data.to_owned())))?;
/// assert_eq!(seen, ["{}", "[DO"]);
/// assert_eq!(body, Body::Events);
///
/// let mut stream = ResponseParser::new(Limits::default());
/// stream.push(br#"{"error":{}}"#, |_| Ok(()))?;
/// assert_eq!(stream.finish(|_| Ok(()))?, Body::Plain(br#"{"error":{}}"#.to_vec()));
/// # Ok::<(), windlass_wire::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct ResponseParser {
    parser: Parser,
    limits: Limits,
    form: Form,
    events: usize,
    plain: Vec<u8>,
}

/// One event of a streamed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamEvent<'a> {
    /// The number of the event, from 1.
    pub number: usize,
    /// The type of the event; `message` if the stream does not specify one.
    pub name: &'a str,
    /// The data of the event.
    pub data: &'a str,
}

/// The kind of a response's body, known at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a stream, or something else")]
pub enum Body {
    /// At least one event.
    Events,
    /// No event: the complete body if it looks like JSON or HTML, otherwise its first bytes.
    Plain(Vec<u8>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Only white space or parts of a byte order mark (BOM) up to now.
    Unknown,
    Events,
    Plain,
}

impl ResponseParser {
    /// Creates a parser with the given limits.
    pub fn new(limits: Limits) -> Self {
        let sse = windlass_sse::Limits::default()
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

fn detect_form(bytes: &[u8]) -> Form {
    let mut bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).iter();
    // A BOM can be split between chunks. None of its bytes begins JSON or a field.
    match bytes.find(|byte| !byte.is_ascii_whitespace() && !BYTE_ORDER_MARK.contains(byte)) {
        None => Form::Unknown,
        Some(b'{' | b'[' | b'<') => Form::Plain,
        Some(_) => Form::Events,
    }
}
