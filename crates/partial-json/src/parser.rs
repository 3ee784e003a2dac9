//! The incremental parser.

use alloc::vec::Vec;

use serde_json::Value;

use crate::document::{Document, OPEN, Span};
use crate::escape::Escape;
use crate::event::{Event, Walker};
use crate::keys::Frame;
use crate::number::Digits;
use crate::snapshot::{PendingKey, Snapshot, Status};
use crate::utf8::Carry;
use crate::{Error, ErrorKind, JsonLimits};

/// The grammar state: the token that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    /// A value must start.
    #[default]
    Value,
    /// After `[`.
    FirstElement,
    /// After `{`.
    FirstKey,
    /// After the comma of an object.
    Key,
    /// After a key.
    Colon,
    /// After an element or a member.
    CommaOrEnd,
    /// In a string's or a key's plain text, or in an escape.
    Text(Escape),
    /// In a number.
    Number(Digits),
    /// In a literal; holds the remaining bytes of `true`, `false` or `null`.
    Literal(&'static str),
    /// After the top-level value.
    Done,
}

/// An incremental JSON parser for text that is still arriving.
///
/// A push costs time proportional to its own length, and a [`Snapshot`] is a reference, so callers can read
/// the value after every delta. Snapshots, events and the final result do not depend on how the text is split
/// into pushes.
///
/// ```
/// use windlass_partial_json::{Completeness, Parser, Status};
///
/// let mut parser = Parser::new();
/// parser.push(r#"{"path": "a.rs", "content": "fn ma"#)?;
/// let content = parser.snapshot().get("content").unwrap();
/// assert_eq!(content.as_str(), Some("fn ma"));
/// assert_eq!(content.completeness(), Completeness::Growing);
///
/// parser.push(r#"in() {}\n"}"#)?;
/// assert_eq!(parser.status(), Status::Complete);
/// assert_eq!(parser.finish()?["content"], "fn main() {}\n");
/// # Ok::<(), windlass_partial_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Parser {
    pub(crate) limits: JsonLimits,
    /// The number of bytes that the limit still allows, plus one. After an error, and while `carry` holds the start
    /// of a character, it is 0: no push fits into it, so each one takes the slow path `push_unusual`.
    pub(crate) room: usize,
    pub(crate) document: Document,
    pub(crate) frames: Vec<Frame>,
    pub(crate) state: State,
    /// Bytes of text accepted so far, including the current push.
    pub(crate) read: usize,
    /// The text of the last key in the buffer; its end is `OPEN` until the closing quote arrives.
    pub(crate) key: Option<Span>,
    /// Byte offset in the pushed text at which the last value started.
    pub(crate) token_start: usize,
    /// The first error that snapshots tolerate but a strict parse refuses.
    pub(crate) fault: Option<Error>,
    pub(crate) forgiven: usize,
    pub(crate) duplicates: usize,
    pub(crate) carry: Carry,
    pub(crate) walker: Walker,
    pub(crate) failed: Option<Error>,
}

impl Parser {
    /// Creates a parser with the default [`JsonLimits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a parser with the given limits.
    pub fn with_limits(limits: JsonLimits) -> Self {
        let limits = limits.clamp();
        Self {
            limits,
            room: limits.bytes.saturating_add(1),
            document: Document::default(),
            frames: Vec::new(),
            state: State::Value,
            read: 0,
            key: None,
            token_start: 0,
            fault: None,
            forgiven: 0,
            duplicates: 0,
            carry: Carry::default(),
            walker: Walker::default(),
            failed: None,
        }
    }

    /// Forgets the text and keeps the allocations, so parsing another text of the same size does not
    /// allocate.
    pub fn clear(&mut self) {
        let Self { document, frames, walker, .. } = core::mem::replace(self, Self::with_limits(self.limits));
        self.document = document.into_empty();
        self.frames = frames;
        self.frames.clear();
        self.walker = walker.into_start();
    }

    /// Appends text.
    ///
    /// # Errors
    /// The text is not JSON, or exceeds a limit. Snapshots keep the values before the error, and every later
    /// push returns the same error.
    #[inline]
    pub fn push(&mut self, delta: &str) -> Result<(), Error> {
        if delta.len() >= self.room {
            return self.push_unusual(delta);
        }
        self.room = self.room.wrapping_sub(delta.len());
        self.read = self.read.wrapping_add(delta.len());
        let mut rest = delta;
        if self.state == State::Text(Escape::None) {
            rest = if delta.len() < 8 { self.read_short(delta) } else { self.read_plain(delta) };
            if rest.is_empty() {
                return Ok(());
            }
        }
        self.push_rest(rest)
    }

    /// Appends bytes, which may end inside a UTF-8 character.
    ///
    /// # Errors
    /// Like [`push`](Self::push), and if the bytes are not UTF-8.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = self.read_bytes(bytes);
        if let Err(error) = result {
            self.refuse(error);
        } else if !self.carry.is_empty() {
            self.room = 0;
        }
        result
    }

    /// Returns a view of everything parsed so far.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { parser: self }
    }

    /// Returns the state of the text as a whole.
    ///
    /// A top-level number has no delimiter, so it stays incomplete until white space follows. Use
    /// [`check`](Self::check) to find out whether the text may end here.
    pub fn status(&self) -> Status {
        match self.failed {
            Some(error) => Status::Malformed { at: error.offset() },
            None if self.state == State::Done => Status::Complete,
            None => Status::Incomplete,
        }
    }

    /// Returns the key in the innermost open object whose value has not started.
    pub fn pending_key(&self) -> Option<PendingKey<'_>> {
        let key = self.key?;
        Some(PendingKey { text: self.document.text_of(key), is_complete: key.end != OPEN })
    }

    /// Emits the changes since the last call, in text order. Its cost is proportional to the changes.
    ///
    /// ```
    /// use windlass_partial_json::{Event, Parser};
    ///
    /// let mut parser = Parser::new();
    /// let mut seen = Vec::new();
    /// for delta in [r#"{"path": "a.rs", "con"#, r#"tent": "fn"#, r#" main"#] {
    ///     parser.push(delta)?;
    ///     parser.drain_events(|event| match event {
    ///         Event::Grew { path, text } => seen.push(format!("{path} + {text}")),
    ///         Event::Complete { path, value } => seen.push(format!("{path} = {:?}", value.as_str())),
    ///         _ => {}
    ///     });
    /// }
    /// assert_eq!(seen, ["/path + a.rs", "/path = Some(\"a.rs\")", "/content + fn", "/content +  main"]);
    /// # Ok::<(), windlass_partial_json::Error>(())
    /// ```
    pub fn drain_events(&mut self, mut on_event: impl FnMut(Event<'_>)) {
        self.walker.walk(&self.document, &mut on_event);
    }

    /// Returns the number of raw control characters and unknown escapes in strings, which snapshots contain
    /// although JSON forbids them. The strict [`finish`](Self::finish) refuses such a text.
    pub fn forgiven(&self) -> usize {
        self.forgiven
    }

    /// Returns the number of repeated keys. The last value of a key wins.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Checks whether a strict parse would accept the text if it ended here.
    ///
    /// # Errors
    /// Like [`finish`](Self::finish).
    pub fn check(&self) -> Result<(), Error> {
        if let Some(error) = self.failed.or(self.fault) {
            return Err(error);
        }
        let end = self.read.saturating_add(self.carry.len());
        match self.state {
            State::Done if self.carry.is_empty() => Ok(()),
            State::Number(digits) if self.frames.is_empty() && self.carry.is_empty() => {
                if digits.is_whole() {
                    self.check_number()
                } else {
                    Err(Error::new(ErrorKind::Incomplete, end))
                }
            }
            _ => Err(Error::new(ErrorKind::Incomplete, end)),
        }
    }

    /// Ends the text and returns its value, which equals the result of a strict parse of the whole text.
    ///
    /// # Errors
    /// The text is not JSON, is incomplete, exceeds a limit, or contains an error that snapshots tolerate.
    pub fn finish(mut self) -> Result<Value, Error> {
        self.check()?;
        if let State::Number(_) = self.state {
            self.end_number();
        }
        self.snapshot().to_value().ok_or(Error::new(ErrorKind::Incomplete, self.read))
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::with_limits(JsonLimits::default())
    }
}
