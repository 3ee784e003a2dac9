//! Copies one JSON value out of a text and repairs it while copying.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::repair::RepairKind;
use crate::repair::report::Report;
use crate::{Error, ErrorKind, JsonLimits};

/// The first value of a text, repaired.
pub(super) struct MendedValue {
    pub(super) text: String,
    /// Byte offset in the source text at which the value ended.
    pub(super) end: usize,
}

/// Copies the value that starts at `start` and repairs it. The caller must still validate the result: this
/// function checks only brackets, commas, colons and quotes.
pub(super) fn mend(
    text: &str,
    start: usize,
    limits: JsonLimits,
    report: &mut Report,
) -> Result<MendedValue, Error> {
    let out = String::with_capacity(text.len().saturating_sub(start));
    let mut mender =
        Mender { text, at: start, out, open: Vec::new(), want: Want::Value, comma: None, limits, report };
    loop {
        mender.copy_white_space();
        if mender.want == Want::CommaOrEnd && mender.open.is_empty() {
            break;
        }
        let Some(byte) = mender.peek() else {
            mender.close_all()?;
            break;
        };
        mender.token(byte)?;
    }
    Ok(MendedValue { text: mender.out.trim().to_owned(), end: mender.at })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// After a colon, or at the start.
    Value,
    /// After `[`.
    FirstElement,
    /// After `{`.
    FirstKey,
    /// After the comma of an array.
    Element,
    /// After the comma of an object.
    Key,
    Colon,
    CommaOrEnd,
}

struct Mender<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// The closing brackets that the open containers need, outermost first.
    open: Vec<u8>,
    want: Want,
    /// The last comma: its offset in `out`, and its offset in the source text.
    comma: Option<(usize, usize)>,
    limits: JsonLimits,
    report: &'a mut Report,
}

impl Mender<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.at)
    }

    /// Copies this many source bytes unchanged.
    fn copy(&mut self, length: usize) {
        let end = self.at.saturating_add(length);
        self.out.push_str(self.text.get(self.at..end).unwrap_or_default());
        self.at = end;
    }

    fn copy_white_space(&mut self) {
        let rest = self.rest();
        let after = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let length = rest.len().saturating_sub(after.len());
        self.copy(length);
    }

    fn token(&mut self, byte: u8) -> Result<(), Error> {
        match (self.want, byte) {
            (Want::Value | Want::FirstElement | Want::Element, b'{') => self.open(b'}', Want::FirstKey),
            (Want::Value | Want::FirstElement | Want::Element, b'[') => self.open(b']', Want::FirstElement),
            (Want::Value | Want::FirstElement | Want::Element, b'"' | b'\'') => {
                self.string(byte)?;
                self.want = Want::CommaOrEnd;
                Ok(())
            }
            (Want::FirstKey | Want::Key, b'"' | b'\'') => {
                self.string(byte)?;
                self.want = Want::Colon;
                Ok(())
            }
            (Want::Colon, b':') => {
                self.copy(1);
                self.want = Want::Value;
                Ok(())
            }
            (Want::CommaOrEnd, b',') => {
                self.comma = Some((self.out.len(), self.at));
                self.copy(1);
                self.want = if self.open.last() == Some(&b'}') { Want::Key } else { Want::Element };
                Ok(())
            }
            (
                Want::FirstElement | Want::FirstKey | Want::Element | Want::Key | Want::CommaOrEnd,
                b'}' | b']',
            ) => self.close(byte),
            (Want::Value | Want::FirstElement | Want::Element, _) => self.scalar(),
            (Want::FirstKey | Want::Key, _) => Err(self.error(ErrorKind::ExpectedKey)),
            (Want::Colon, _) => Err(self.error(ErrorKind::ExpectedColon)),
            (Want::CommaOrEnd, _) => Err(self.error(ErrorKind::ExpectedCommaOrEnd)),
        }
    }

    fn open(&mut self, bracket: u8, want: Want) -> Result<(), Error> {
        if self.open.len().saturating_add(1) >= self.limits.depth {
            return Err(self.error(ErrorKind::TooDeep));
        }
        self.open.push(bracket);
        self.want = want;
        self.copy(1);
        Ok(())
    }

    /// Handles a closing bracket. Closes containers that are still open inside the one that it closes.
    fn close(&mut self, bracket: u8) -> Result<(), Error> {
        if !self.open.contains(&bracket) {
            return Err(self.error(ErrorKind::ExpectedCommaOrEnd));
        }
        if matches!(self.want, Want::Element | Want::Key)
            && let Some((place, at)) = self.comma.take()
        {
            self.out.remove(place);
            self.report.note(RepairKind::TrailingComma, at);
        }
        while let Some(innermost) = self.open.pop() {
            if innermost == bracket {
                break;
            }
            self.report.note(RepairKind::MissingBracket, self.at);
            self.out.push(char::from(innermost));
        }
        self.copy(1);
        self.want = Want::CommaOrEnd;
        Ok(())
    }

    /// Handles the end of the text. Adds missing brackets only after a complete value: after a comma, a colon
    /// or an opening bracket the text was truncated.
    fn close_all(&mut self) -> Result<(), Error> {
        if self.want != Want::CommaOrEnd {
            return Err(self.error(ErrorKind::Incomplete));
        }
        self.out.truncate(self.out.trim_end().len());
        while let Some(bracket) = self.open.pop() {
            self.report.note(RepairKind::MissingBracket, self.at);
            self.out.push(char::from(bracket));
        }
        Ok(())
    }

    /// Copies a number or a literal. The later strict parse refuses any other word.
    fn scalar(&mut self) -> Result<(), Error> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.rest().bytes().take_while(|byte| is_part(byte)).count();
        let word = self.rest().get(..length).unwrap_or_default();
        let is_literal = matches!(word, "true" | "false" | "null");
        if word.is_empty() {
            return Err(self.error(ErrorKind::ExpectedValue));
        }
        if !is_literal && length == self.rest().len() {
            // The text may be truncated inside the number: `12` can be the start of `123`.
            return Err(Error::new(ErrorKind::Incomplete, self.text.len()));
        }
        self.copy(length);
        self.want = Want::CommaOrEnd;
        Ok(())
    }

    /// Copies a string in either kind of quotes. Never closes an open string.
    fn string(&mut self, quote: u8) -> Result<(), Error> {
        let start = self.at;
        self.at = start.saturating_add(1);
        self.out.push('"');
        loop {
            let is_plain = |byte: &u8| *byte >= 0x20 && !matches!(byte, b'\\' | b'"' | b'\'');
            let length = self.rest().bytes().take_while(is_plain).count();
            self.copy(length);
            match self.peek() {
                None => return Err(Error::new(ErrorKind::Incomplete, self.text.len())),
                Some(byte) if byte == quote => break,
                Some(b'\\') => self.escape(quote),
                Some(b'"') => {
                    self.out.push_str("\\\"");
                    self.at = self.at.saturating_add(1);
                }
                Some(b'\'') => self.copy(1),
                Some(control) => self.control(control),
            }
        }
        self.at = self.at.saturating_add(1);
        self.out.push('"');
        if quote == b'\'' {
            self.report.note(RepairKind::SingleQuotes, start);
        }
        Ok(())
    }

    /// Copies an escape unchanged, except `\'`, which JSON does not have: it is written without the
    /// backslash.
    fn escape(&mut self, quote: u8) {
        let next = self.rest().chars().nth(1);
        if quote == b'\'' && next == Some('\'') {
            self.at = self.at.saturating_add(1);
            self.copy(1);
        } else {
            self.copy(next.map_or(1, char::len_utf8).saturating_add(usize::from(next.is_some())));
        }
    }

    fn control(&mut self, byte: u8) {
        self.report.note(RepairKind::ControlCharacter, self.at);
        match byte {
            b'\n' => self.out.push_str("\\n"),
            b'\r' => self.out.push_str("\\r"),
            b'\t' => self.out.push_str("\\t"),
            _ => drop(write!(self.out, "\\u{byte:04x}")),
        }
        self.at = self.at.saturating_add(1);
    }
}
