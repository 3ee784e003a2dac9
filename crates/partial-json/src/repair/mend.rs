//! One value of a text, mended on the way.

use std::fmt::Write as _;

use crate::repair::RepairKind;
use crate::repair::report::Report;
use crate::{Error, ErrorKind, Limits};

/// The first value of a text.
pub(super) struct Mended {
    pub(super) text: String,
    /// Where it ended in the text that was read.
    pub(super) end: usize,
}

/// Copies the value that begins at `start`, and mends it on the way. What comes out still has to be checked:
/// only brackets, commas, colons and quotes are looked at here.
pub(super) fn mend(text: &str, start: usize, limits: Limits, report: &mut Report) -> Result<Mended, Error> {
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
    Ok(Mended { text: mender.out.trim().to_owned(), end: mender.at })
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
    /// The brackets that will close what is open.
    open: Vec<u8>,
    want: Want,
    /// Where in `out` the last comma is, and where in the text it was.
    comma: Option<(usize, usize)>,
    limits: Limits,
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

    /// Takes this many bytes as they are.
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

    /// A closing bracket. What is open inside of what it closes is closed first.
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

    /// The end of the text: brackets are closed only behind a whole value. A comma, a colon or an opening
    /// bracket says that more was to come.
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

    /// A number, a literal, or a word that the check of the whole will refuse.
    fn scalar(&mut self) -> Result<(), Error> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = self.rest().bytes().take_while(|byte| is_part(byte)).count();
        let word = self.rest().get(..length).unwrap_or_default();
        let is_literal = matches!(word, "true" | "false" | "null");
        if word.is_empty() {
            return Err(self.error(ErrorKind::ExpectedValue));
        }
        if !is_literal && length == self.rest().len() {
            // 12 may have been going to be 123.
            return Err(Error::new(ErrorKind::Incomplete, self.text.len()));
        }
        self.copy(length);
        self.want = Want::CommaOrEnd;
        Ok(())
    }

    /// A string in either kind of quotes, which is never closed for it.
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

    /// An escape, copied as it is; only a quote that JSON does not escape is written without it.
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
