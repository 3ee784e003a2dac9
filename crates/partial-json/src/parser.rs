//! The parser: text in, however cut; a snapshot at any time.

use serde_json::Value;

use crate::document::{Document, OPEN, Span};
use crate::escape::Escape;
use crate::event::{Event, Walker};
use crate::keys::Frame;
use crate::number::Digits;
use crate::snapshot::{PendingKey, Snapshot, Status};
use crate::utf8::Carry;
use crate::{Error, ErrorKind, Limits};

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    /// A value must begin.
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
    /// What must still come of `true`, `false` or `null`.
    Literal(&'static str),
    /// After the top-level value.
    Done,
}

/// Reads a JSON text that is still arriving.
///
/// Each push costs what its own length costs, and a [`Snapshot`] is a reference, so the value can be looked
/// at after every delta. The same text gives the same snapshots, events and result whatever the pushes.
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
    pub(crate) limits: Limits,
    /// How many bytes may still come, and one; 0 where a push must be looked at: after an error, and after
    /// half a character.
    pub(crate) room: usize,
    pub(crate) document: Document,
    pub(crate) frames: Vec<Frame>,
    pub(crate) state: State,
    /// Bytes of text pushed so far, the current push counted.
    pub(crate) read: usize,
    /// The last key's text in the buffer; its end is open while the key is.
    pub(crate) key: Option<Span>,
    /// The value or key that is open: where its text starts in the pushed text.
    pub(crate) token_start: usize,
    /// The first thing that is shown although a strict parse refuses it.
    pub(crate) fault: Option<Error>,
    pub(crate) forgiven: usize,
    pub(crate) duplicates: usize,
    pub(crate) carry: Carry,
    pub(crate) walker: Walker,
    pub(crate) failed: Option<Error>,
}

impl Parser {
    /// A parser with the default [`Limits`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with limits of its own.
    pub fn with_limits(limits: Limits) -> Self {
        let limits = limits.clamped();
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

    /// Forgets the text and keeps the buffers: the next text of the same size allocates nothing.
    pub fn clear(&mut self) {
        let Self { document, frames, walker, .. } = std::mem::replace(self, Self::with_limits(self.limits));
        self.document = document.cleared();
        self.frames = frames;
        self.frames.clear();
        self.walker = walker.cleared();
    }

    /// Takes the next text.
    ///
    /// # Errors
    /// The text is not JSON from some place on, or is beyond a limit. What was shown before stays, and every
    /// later push gives the same error.
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

    /// Takes the next bytes of the text, which may be cut inside a character.
    ///
    /// # Errors
    /// As [`push`](Self::push), and where the bytes are not UTF-8.
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

    /// What is known so far.
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { parser: self }
    }

    /// Where the text as a whole stands.
    ///
    /// A top-level number is complete only when something follows it: [`check`](Self::check) says whether
    /// the text may end here.
    pub fn status(&self) -> Status {
        match self.failed {
            Some(error) => Status::Malformed { at: error.offset() },
            None if self.state == State::Done => Status::Complete,
            None => Status::Incomplete,
        }
    }

    /// The key whose value has not begun, in the innermost open object.
    pub fn pending_key(&self) -> Option<PendingKey<'_>> {
        let key = self.key?;
        Some(PendingKey { text: self.document.text_of(key), is_complete: key.end != OPEN })
    }

    /// Tells what has changed since the last call, in the order of the text. Costs what the changes cost.
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

    /// How often something inside a string was shown although JSON forbids it: raw control characters and
    /// unknown escapes. A strict [`finish`](Self::finish) refuses such a text.
    pub fn forgiven(&self) -> usize {
        self.forgiven
    }

    /// How often a key came again in its object. The last value wins.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Whether a strict parse accepts the text if it ends here.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
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

    /// Ends the text and gives its value, which is what a strict parse of the whole text gives.
    ///
    /// # Errors
    /// The text is not JSON, is not whole, is beyond a limit, or holds something that was only forgiven.
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
        Self::with_limits(Limits::default())
    }
}
