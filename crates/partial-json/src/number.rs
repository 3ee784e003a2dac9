//! Numbers, stored as written and held back until their delimiter arrives.

use crate::cursor::Cursor;
use crate::document::narrow;
use crate::parser::{Parser, State};
use crate::value::{fits, may_overflow};
use crate::{Error, ErrorKind};

/// State of the number grammar: the part of the number that the last byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digits {
    None,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Digits {
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::None, b'-') => Self::Minus,
            (Self::None | Self::Minus, b'0') => Self::Zero,
            (Self::None | Self::Minus | Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::Sign,
            (Self::Exponent | Self::Sign | Self::Power, b'0'..=b'9') => Self::Power,
            _ => return None,
        })
    }

    /// Returns whether the text so far is a complete number.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Power)
    }
}

impl Parser {
    pub(crate) fn read_number(&mut self, digits: Digits, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        let mut digits = digits;
        let mut length = 0usize;
        let mut delimiter = None;
        for &byte in cursor.bytes() {
            let Some(next) = digits.next(byte) else {
                delimiter = Some(byte);
                break;
            };
            digits = next;
            length = length.saturating_add(1);
        }
        self.document.text.push_str(cursor.take(length));
        self.state = State::Number(digits);
        match delimiter {
            None => Ok(()),
            Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t') if digits.is_whole() => {
                if let Err(error) = self.check_number() {
                    self.note(error.kind(), error.offset());
                }
                self.end_number();
                Ok(())
            }
            Some(_) => self.fail(ErrorKind::BadNumber, cursor.len()),
        }
    }

    /// Returns an error if a strict parse would refuse the open number as out of range.
    pub(crate) fn check_number(&self) -> Result<(), Error> {
        let Some(record) = self.document.records.last() else { return Ok(()) };
        let length = self.document.text_end().saturating_sub(record.body.start);
        let suspect = self.state == State::Number(Digits::Power) || may_overflow(length);
        if suspect && !fits(self.document.text_of(record.body)) {
            return Err(Error::new(ErrorKind::NumberOutOfRange, self.token_start));
        }
        Ok(())
    }

    pub(crate) fn end_number(&mut self) {
        self.complete_open(narrow(self.document.records.len().saturating_sub(1)));
        self.read_after_value();
    }
}
