//! Brackets, commas, colons, first bytes of values, and literals.

use crate::cursor::Cursor;
use crate::document::{OPEN, Record, Span, narrow};
use crate::escape::Escape;
use crate::keys::Frame;
use crate::node::{Completeness, Kind};
use crate::number::Digits;
use crate::parser::{Parser, State};
use crate::{Error, ErrorKind};

impl Parser {
    /// Parses structural bytes up to the next string, number or literal, or to the end of the push.
    pub(crate) fn read_structure(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        while let Some(byte) = cursor.peek() {
            if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                cursor.bump();
                continue;
            }
            match self.state {
                State::CommaOrEnd => self.read_comma_or_end(byte, cursor)?,
                State::Colon if byte == b':' => {
                    cursor.bump();
                    self.state = State::Value;
                }
                State::Colon => return self.fail(ErrorKind::ExpectedColon, cursor.len()),
                State::Key | State::FirstKey if byte == b'"' => {
                    cursor.bump();
                    let start = self.document.text_end();
                    self.key = Some(Span { start, end: OPEN });
                    self.state = State::Text(Escape::None);
                    return Ok(());
                }
                State::FirstKey if byte == b'}' => self.close(cursor),
                State::Key | State::FirstKey => return self.fail(ErrorKind::ExpectedKey, cursor.len()),
                State::FirstElement if byte == b']' => self.close(cursor),
                State::FirstElement | State::Value => {
                    self.begin(byte, cursor)?;
                    if matches!(self.state, State::Text(_) | State::Number(_) | State::Literal(_)) {
                        return Ok(());
                    }
                }
                State::Done => return self.fail(ErrorKind::TrailingText, cursor.len()),
                State::Text(_) | State::Number(_) | State::Literal(_) => return Ok(()),
            }
        }
        Ok(())
    }

    fn read_comma_or_end(&mut self, byte: u8, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let kind =
            self.frames.last().and_then(|frame| self.document.record(frame.record)).map(|record| record.kind);
        match (kind, byte) {
            (Some(Kind::Object), b',') => self.state = State::Key,
            (Some(Kind::Array), b',') => self.state = State::Value,
            (Some(Kind::Object), b'}') | (Some(Kind::Array), b']') => {
                self.close(cursor);
                return Ok(());
            }
            _ => return self.fail(ErrorKind::ExpectedCommaOrEnd, cursor.len()),
        }
        cursor.bump();
        Ok(())
    }

    fn close(&mut self, cursor: &mut Cursor<'_>) {
        cursor.bump();
        if let Some(frame) = self.frames.pop() {
            self.complete_open(frame.record);
        }
        self.read_after_value();
    }

    pub(crate) fn read_after_value(&mut self) {
        self.state = if self.frames.is_empty() { State::Done } else { State::CommaOrEnd };
    }

    /// Starts the value whose first byte is `byte`.
    fn begin(&mut self, byte: u8, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let (kind, next) = match byte {
            b'"' => (Kind::String, State::Text(Escape::None)),
            b'{' => (Kind::Object, State::FirstKey),
            b'[' => (Kind::Array, State::FirstElement),
            b'-' | b'0'..=b'9' => (Kind::Number, State::Number(Digits::None)),
            b't' => (Kind::Bool, State::Literal("true")),
            b'f' => (Kind::Bool, State::Literal("false")),
            b'n' => (Kind::Null, State::Literal("null")),
            _ => return self.fail(ErrorKind::ExpectedValue, cursor.len()),
        };
        if kind.is_container() && self.frames.len().saturating_add(1) >= self.limits.depth {
            return self.fail(ErrorKind::TooDeep, cursor.len());
        }
        if self.document.records.len() >= self.limits.values {
            return self.fail(ErrorKind::TooManyValues, cursor.len());
        }
        self.token_start = self.read.saturating_sub(cursor.len());
        let at = self.document.records_end();
        self.add_record(kind, at, byte == b't');
        if kind.is_container() {
            self.frames.push(Frame::new(at));
        }
        if matches!(kind, Kind::String | Kind::Array | Kind::Object) {
            cursor.bump();
        }
        self.state = next;
        Ok(())
    }

    fn add_record(&mut self, kind: Kind, at: u32, truth: bool) {
        let key = self.key.take();
        let mut superseded = None;
        if let Some(frame) = self.frames.last_mut() {
            superseded = key.and_then(|key| frame.add(&self.document, key, at));
            let parent = frame.record;
            if let (Some(record), None) = (self.document.record_mut(parent), superseded) {
                record.body.start = record.body.start.saturating_add(1);
            }
        }
        if let Some(record) = superseded.and_then(|earlier| self.document.record_mut(earlier)) {
            record.superseded = true;
            self.duplicates = self.duplicates.saturating_add(1);
        }
        let start = if kind.is_container() { 0 } else { self.document.text_end() };
        self.document.records.push(Record {
            key: key.unwrap_or_default(),
            body: Span { start, end: OPEN },
            kind,
            completeness: match kind {
                Kind::String | Kind::Array | Kind::Object => Completeness::Growing,
                Kind::Null | Kind::Bool | Kind::Number => Completeness::Pending,
            },
            superseded: false,
            supersedes: superseded.is_some(),
            truth,
        });
    }

    /// Parses the remaining bytes of a literal.
    pub(crate) fn read_literal(
        &mut self,
        wanted: &'static str,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Error> {
        let mut left = wanted;
        while let (Some(byte), Some(next)) = (cursor.peek(), left.bytes().next()) {
            if byte != next {
                return self.fail(ErrorKind::BadLiteral, cursor.len());
            }
            cursor.bump();
            left = left.get(1..).unwrap_or_default();
        }
        self.state = State::Literal(left);
        if left.is_empty() {
            let last = narrow(self.document.records.len().saturating_sub(1));
            self.complete_open(last);
            self.read_after_value();
        }
        Ok(())
    }
}
