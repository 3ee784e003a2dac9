//! Handling of a push: byte accounting, dispatch to the current state, and errors.

use crate::cursor::Cursor;
use crate::escape::Escape;
use crate::node::Completeness;
use crate::parser::{Parser, State};
use crate::{Error, ErrorKind};

impl Parser {
    /// Creates an error at the position that has `left` bytes of the push after it.
    pub(crate) fn error(&self, kind: ErrorKind, left: usize) -> Error {
        Error::new(kind, self.read.saturating_sub(left))
    }

    pub(crate) fn fail<T>(&self, kind: ErrorKind, left: usize) -> Result<T, Error> {
        Err(self.error(kind, left))
    }

    /// Records an error that snapshots tolerate but a strict parse refuses. The first one is kept.
    pub(crate) fn note(&mut self, kind: ErrorKind, offset: usize) {
        self.fault.get_or_insert(Error::new(kind, offset));
    }

    pub(crate) fn complete_open(&mut self, at: u32) {
        let end = self.document.text_end();
        let after = self.document.records_end();
        if let Some(record) = self.document.record_mut(at) {
            record.body.end = if record.kind.is_container() { after } else { end };
            record.completeness = Completeness::Complete;
        }
    }

    pub(crate) fn read_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut rest = bytes;
        if !self.carry.is_empty() {
            match self.carry.complete(rest) {
                Ok((None, _)) => return Ok(()),
                Ok((Some(whole), after)) => {
                    self.read(whole.encode_utf8(&mut [0; 4]))?;
                    rest = after;
                }
                Err(()) => return self.fail(ErrorKind::InvalidUtf8, 0),
            }
        }
        let decoded = self.carry.decode(rest);
        self.read(decoded.text)?;
        if decoded.valid { Ok(()) } else { self.fail(ErrorKind::InvalidUtf8, 0) }
    }

    /// Parses the part of a push that the fast path for plain string text did not consume.
    #[inline(never)]
    pub(crate) fn push_rest(&mut self, rest: &str) -> Result<(), Error> {
        let rest = match self.state {
            State::Text(escape) if escape != Escape::None => self.resume_escape(escape, rest),
            _ => rest,
        };
        if rest.is_empty() {
            return Ok(());
        }
        let result = self.advance(rest);
        if let Err(error) = result {
            self.refuse(error);
        }
        result
    }

    /// Makes every later push return `error`.
    #[cold]
    pub(crate) fn refuse(&mut self, error: Error) {
        self.failed = Some(error);
        self.room = 0;
    }

    /// Handles a push after an error, after an incomplete character, or beyond the byte limit.
    #[cold]
    pub(crate) fn push_unusual(&mut self, delta: &str) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = match delta {
            "" => Ok(()),
            _ if self.carry.is_empty() => self.read(delta),
            _ => self.fail(ErrorKind::InvalidUtf8, 0),
        };
        if let Err(error) = result {
            self.refuse(error);
        }
        result
    }

    /// Counts and parses text up to the byte limit.
    fn read(&mut self, delta: &str) -> Result<(), Error> {
        let room = self.limits.bytes.saturating_sub(self.read);
        let mut length = room.min(delta.len());
        while !delta.is_char_boundary(length) {
            length = length.saturating_sub(1);
        }
        self.read = self.read.wrapping_add(length);
        self.room = self.limits.bytes.saturating_add(1).saturating_sub(self.read);
        self.advance(delta.get(..length).unwrap_or_default())?;
        if length < delta.len() { Err(Error::new(ErrorKind::TooLong, self.limits.bytes)) } else { Ok(()) }
    }

    /// Parses text that has already been counted.
    fn advance(&mut self, delta: &str) -> Result<(), Error> {
        let mut cursor = Cursor::new(delta);
        while cursor.len() > 0 {
            match self.state {
                State::Text(Escape::None) => cursor = Cursor::new(self.read_plain(cursor.text())),
                State::Text(escape) => self.read_escape(escape, &mut cursor),
                State::Number(digits) => self.read_number(digits, &mut cursor)?,
                State::Literal(wanted) => self.read_literal(wanted, &mut cursor)?,
                _ => self.read_structure(&mut cursor)?,
            }
        }
        Ok(())
    }
}
