//! The parser: bytes in chunks of any size in, events in order out.

mod fields;

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memchr2;

use crate::draft::{Draft, Store};
use crate::last_event_id::LastEventId;
use crate::line::strip_space;
use crate::text::{decode, text_of_lines};
use crate::{Ending, Error, ErrorKind, Event, Signal, SseLimits};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A parser that splits a byte stream into events by the WHATWG event-stream grammar.
///
/// The events do not depend on how the bytes are split into pushes. Events are passed to the closure,
/// borrowed from the pushed bytes if they are contiguous.
///
/// ```
/// let mut parser = windlass_sse::Parser::new();
/// let mut seen = Vec::new();
/// for chunk in [&b"event: delta\nda"[..], b"ta: {\"a\"", b":1}\n\ndata: [DONE]\n\n"] {
///     parser.push(chunk, |event| seen.push(format!("{} {}", event.event, event.data)))?;
/// }
/// assert_eq!(seen, ["delta {\"a\":1}", "message [DONE]"]);
/// # Ok::<(), windlass_sse::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    limits: SseLimits,
    /// The unfinished line of the last push.
    line: Vec<u8>,
    store: Store,
    id: LastEventId,
    retry: Option<u64>,
    /// The number of bytes of the stream before `line`.
    line_start: u64,
    after_first_line: bool,
    /// True if the last push ended with a CR; a LF at the start of the next push then belongs to the same
    /// line end.
    after_carriage_return: bool,
    failed: Option<Error>,
}

impl Parser {
    /// Creates a parser with the default [`SseLimits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a parser with the given limits.
    pub fn with_limits(limits: SseLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Parses the next bytes and passes each completed event to `on_event`.
    ///
    /// # Errors
    /// Returns an error if a line or an event exceeds its limit. Earlier events have already been passed;
    /// every later push returns the same error.
    pub fn push(&mut self, chunk: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<(), Error> {
        self.push_signals(chunk, |signal| {
            if let Signal::Event(event) = signal {
                on_event(event);
            }
        })
    }

    /// Parses the next bytes and passes each completed event, comment and `retry` field to `on_signal`.
    ///
    /// # Errors
    /// Returns the same errors as [`push`](Self::push).
    pub fn push_signals(&mut self, chunk: &[u8], mut on_signal: impl FnMut(Signal<'_>)) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = self.read(chunk, &mut on_signal);
        self.failed = result.err();
        result
    }

    /// Ends the stream. An unfinished event is discarded, as the event-stream format requires.
    pub fn finish(&mut self) -> Ending {
        let clean = self.line.is_empty() && self.store.is_empty() && self.failed.is_none();
        self.line.clear();
        self.store.clear();
        if clean { Ending::Clean } else { Ending::Cut }
    }

    /// Returns the id to send as `Last-Event-ID` when reconnecting; empty if the stream did not send one.
    pub fn last_event_id(&self) -> &str {
        self.id.as_str()
    }

    /// Returns the last valid `retry` field in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    fn read(&mut self, chunk: &[u8], on_signal: &mut dyn FnMut(Signal<'_>)) -> Result<(), Error> {
        let mut rest = chunk;
        if self.after_carriage_return && !rest.is_empty() {
            self.after_carriage_return = false;
            if let [b'\n', after @ ..] = rest {
                self.line_start = self.line_start.saturating_add(1);
                rest = after;
            }
        }
        let mut taken = 0_usize;
        if !self.line.is_empty() {
            let Some((head, after)) = self.cut(rest) else {
                self.check_line(self.line.len().saturating_add(rest.len()))?;
                self.line.extend_from_slice(rest);
                return Ok(());
            };
            self.check_line(self.line.len().saturating_add(head.len()))?;
            taken = self.line.len().saturating_add(rest.len().saturating_sub(after.len()));
            self.line.extend_from_slice(head);
            rest = after;
        }
        // `draft` may borrow from the carried line, so move the line out of `self` until the draft has been
        // stored.
        let mut carried = core::mem::take(&mut self.line);
        let mut draft = Draft::resume(&self.store);
        if taken > 0 {
            self.take_field(&carried, &mut draft, on_signal)?;
            self.line_start = self.line_start.saturating_add(wide(taken));
        }
        let rest = self.read_lines(rest, &mut draft, on_signal)?;
        self.check_line(rest.len())?;
        draft.keep(&mut self.store);
        carried.clear();
        carried.extend_from_slice(rest);
        self.line = carried;
        Ok(())
    }

    /// Parses complete lines and returns the rest.
    fn read_lines<'a, 'b: 'a>(
        &mut self,
        bytes: &'b [u8],
        draft: &mut Draft<'a>,
        on_signal: &mut dyn FnMut(Signal<'_>),
    ) -> Result<&'b [u8], Error> {
        let text = text_of_lines(bytes);
        let start = self.line_start;
        let mut rest = bytes;
        while let Some((line, after)) = self.cut(rest) {
            self.check_line(line.len())?;
            // Almost every line of a provider's stream is one of these three.
            match line {
                _ if !self.after_first_line => self.take_field(line, draft, on_signal)?,
                [] => self.dispatch(draft, on_signal),
                [b'd', b'a', b't', b'a', b':', value @ ..] => {
                    let value = strip_space(value);
                    let end = bytes.len().saturating_sub(rest.len()).saturating_add(line.len());
                    let lent = text.and_then(|text| text.get(end.saturating_sub(value.len())..end));
                    self.take_data(lent.map_or_else(|| decode(value), Cow::Borrowed), draft)?;
                }
                [b'e', b'v', b'e', b'n', b't', b':', value @ ..] => {
                    self.store.set_event(strip_space(value));
                }
                _ => self.take_field(line, draft, on_signal)?,
            }
            self.line_start = start.saturating_add(wide(bytes.len().saturating_sub(after.len())));
            rest = after;
        }
        Ok(rest)
    }

    /// Returns the first complete line without its end, and the rest.
    #[inline]
    fn cut<'a>(&mut self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        // Every second line of a provider's stream is blank.
        if let [b'\n', after @ ..] = bytes {
            return Some((&[], after));
        }
        let (line, rest) = bytes.split_at_checked(memchr2(b'\n', b'\r', bytes)?)?;
        match rest {
            [b'\r'] => {
                self.after_carriage_return = true;
                Some((line, &[]))
            }
            [b'\r', b'\n', after @ ..] | [_, after @ ..] => Some((line, after)),
            [] => None,
        }
    }

    fn check_line(&self, length: usize) -> Result<(), Error> {
        if length > self.limits.line_bytes {
            let limit = u64::try_from(self.limits.line_bytes).unwrap_or(u64::MAX);
            return Err(Error::new(ErrorKind::LineTooLong, self.line_start.saturating_add(limit)));
        }
        Ok(())
    }

    #[inline]
    fn take_data<'a>(&mut self, text: Cow<'a, str>, draft: &mut Draft<'a>) -> Result<(), Error> {
        match text {
            Cow::Borrowed(text) if draft.is_absent() && text.len() <= self.limits.event_bytes => {
                draft.lend(text);
                Ok(())
            }
            text => self.add_data(&text, draft),
        }
    }

    #[inline]
    fn dispatch(&mut self, draft: &mut Draft<'_>, on_signal: &mut dyn FnMut(Signal<'_>)) {
        self.id.update();
        if let Some(data) = draft.data(&self.store) {
            let event = self.store.event();
            on_signal(Signal::Event(Event { event, data, id: self.id.as_str() }));
        }
        *draft = Draft::default();
        self.store.clear();
    }
}

fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
