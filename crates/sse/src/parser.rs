//! The parser: bytes in, however split; events out, in order.

use std::borrow::Cow;

use memchr::memchr2;

use crate::draft::{Draft, Store};
use crate::line::{Line, milliseconds};
use crate::{Ending, Error, ErrorKind, Event, Limits, Signal};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Cuts a byte stream into events by the WHATWG rules.
///
/// The same bytes give the same events whatever the pushes they come in. Events are lent to the closure,
/// out of the pushed bytes where they lie in one piece.
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
    limits: Limits,
    /// The line that the last push left unfinished.
    line: Vec<u8>,
    store: Store,
    id: Ids,
    retry: Option<u64>,
    /// Bytes of the stream before `line`.
    line_start: u64,
    after_first_line: bool,
    /// The last push ended with a CR; a LF at the start of the next belongs to it.
    after_carriage_return: bool,
    failed: Option<Error>,
}

/// The id that the stream gave last, and the one that holds since the last blank line.
#[derive(Debug, Default)]
struct Ids {
    given: String,
    held: String,
    changed: bool,
}

impl Ids {
    fn give(&mut self, value: &[u8]) {
        if memchr::memchr(0, value).is_none() {
            self.given.clear();
            self.given.push_str(&String::from_utf8_lossy(value));
            self.changed = true;
        }
    }

    fn hold(&mut self) {
        if self.changed {
            self.held.clone_from(&self.given);
            self.changed = false;
        }
    }
}

impl Parser {
    /// A parser with the default [`Limits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with limits of its own.
    pub fn with_limits(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes the next bytes and lends each event that they complete.
    ///
    /// # Errors
    /// A line or an event is longer than the limits allow. Events before it have been lent; every later push
    /// gives the same error.
    pub fn push(&mut self, chunk: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<(), Error> {
        self.push_signals(chunk, |signal| {
            if let Signal::Event(event) = signal {
                on_event(event);
            }
        })
    }

    /// Takes the next bytes and lends each event, comment and `retry` field that they complete.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_signals(&mut self, chunk: &[u8], mut on_signal: impl FnMut(Signal<'_>)) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = self.read(chunk, &mut on_signal);
        self.failed = result.err();
        result
    }

    /// Ends the stream. An unfinished event is discarded, as the event-stream format asks.
    pub fn finish(&mut self) -> Ending {
        let clean = self.line.is_empty() && self.store.is_empty() && self.failed.is_none();
        self.line.clear();
        self.store.clear();
        if clean { Ending::Clean } else { Ending::Cut }
    }

    /// The id to send as `Last-Event-ID` when connecting again; empty if the stream gave none.
    pub fn last_event_id(&self) -> &str {
        &self.id.held
    }

    /// The last valid `retry` field, in milliseconds.
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
        // The carried line is lent from like the chunk, so it leaves `self` until the draft is put by.
        let mut carried = std::mem::take(&mut self.line);
        let mut first = None;
        if !carried.is_empty() {
            let Some((head, taken, after)) = self.cut(rest) else {
                self.check_line(carried.len().saturating_add(rest.len()))?;
                carried.extend_from_slice(rest);
                self.line = carried;
                return Ok(());
            };
            self.check_line(carried.len().saturating_add(head.len()))?;
            carried.extend_from_slice(head);
            first = Some(taken.saturating_add(carried.len()));
            rest = after;
        }
        let mut draft = Draft::resume(&self.store);
        if let Some(taken) = first {
            self.take_line(&carried, taken, &mut draft, on_signal)?;
        }
        while let Some((line, ending, after)) = self.cut(rest) {
            self.check_line(line.len())?;
            self.take_line(line, line.len().saturating_add(ending), &mut draft, on_signal)?;
            rest = after;
        }
        self.check_line(rest.len())?;
        draft.keep(&mut self.store);
        carried.clear();
        carried.extend_from_slice(rest);
        self.line = carried;
        Ok(())
    }

    /// The first whole line of the bytes, the length of its end, and what follows.
    #[inline]
    fn cut<'a>(&mut self, bytes: &'a [u8]) -> Option<(&'a [u8], usize, &'a [u8])> {
        let (line, rest) = bytes.split_at_checked(memchr2(b'\n', b'\r', bytes)?)?;
        match rest {
            [b'\r', b'\n', after @ ..] => Some((line, 2, after)),
            [b'\r'] => {
                self.after_carriage_return = true;
                Some((line, 1, &[]))
            }
            [_, after @ ..] => Some((line, 1, after)),
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

    /// Takes one line of `taken` bytes, its end counted.
    fn take_line<'a>(
        &mut self,
        line: &'a [u8],
        taken: usize,
        draft: &mut Draft<'a>,
        on_signal: &mut dyn FnMut(Signal<'_>),
    ) -> Result<(), Error> {
        let line = if self.after_first_line {
            line
        } else {
            self.after_first_line = true;
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        };
        match Line::read(line) {
            Line::Data(value) => self.take_data(decode(value), draft)?,
            Line::Blank => self.dispatch(draft, on_signal),
            Line::Event(value) => draft.set_event(decode(value), &mut self.store),
            Line::Comment(value) => on_signal(Signal::Comment(&decode(value))),
            Line::Id(value) => self.id.give(value),
            Line::Retry(value) => {
                if let Some(wait) = milliseconds(value) {
                    self.retry = Some(wait);
                    on_signal(Signal::Retry(wait));
                }
            }
            Line::Unknown => {}
        }
        self.line_start = self.line_start.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
        Ok(())
    }

    fn take_data<'a>(&mut self, text: Cow<'a, str>, draft: &mut Draft<'a>) -> Result<(), Error> {
        let length = match draft.data_len(&self.store) {
            None => text.len(),
            Some(before) => before.saturating_add(1).saturating_add(text.len()),
        };
        if length > self.limits.event_bytes {
            return Err(Error::new(ErrorKind::EventTooLong, self.line_start));
        }
        draft.add_data(text, &mut self.store);
        Ok(())
    }

    fn dispatch(&mut self, draft: &mut Draft<'_>, on_signal: &mut dyn FnMut(Signal<'_>)) {
        self.id.hold();
        if let Some(data) = draft.data(&self.store) {
            let event = draft.event(&self.store);
            on_signal(Signal::Event(Event { event, data, id: &self.id.held }));
        }
        *draft = Draft::default();
        self.store.clear();
    }
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD. A line end never lies inside a character, so decoding
/// line by line equals decoding the stream.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
