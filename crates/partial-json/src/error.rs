//! Why a text is not JSON, and where.

use std::fmt;

/// What was wrong with a text, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

/// What was wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text ended inside a value, or before any.
    Incomplete,
    /// A byte that begins no value, where a value must begin.
    ExpectedValue,
    /// Something other than a string, where a key must begin.
    ExpectedKey,
    /// Something other than a colon after a key.
    ExpectedColon,
    /// Neither a comma nor the closing bracket after an element or a member.
    ExpectedCommaOrEnd,
    /// A number that breaks the grammar.
    BadNumber,
    /// A word that is not `true`, `false` or `null`.
    BadLiteral,
    /// Something other than white space after the value.
    TrailingText,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// A control character that a string must escape. It is shown; a strict parse refuses it.
    ControlCharacter,
    /// An escape that JSON does not have. It is shown as written; a strict parse refuses it.
    UnknownEscape,
    /// Half of a surrogate pair. It is shown as U+FFFD; a strict parse refuses it.
    LoneSurrogate,
    /// A number too large for a 64-bit float. Its text is shown; a strict parse refuses it.
    NumberOutOfRange,
    /// Nesting at [`Limits::depth`](crate::Limits::depth).
    TooDeep,
    /// More text than [`Limits::bytes`](crate::Limits::bytes).
    TooLong,
    /// More values than [`Limits::values`](crate::Limits::values).
    TooManyValues,
}

impl ErrorKind {
    fn text(self) -> &'static str {
        match self {
            Self::Incomplete => "text ends before its value does",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedKey => "expected a key in double quotes",
            Self::ExpectedColon => "expected a colon after the key",
            Self::ExpectedCommaOrEnd => "expected a comma or a closing bracket",
            Self::BadNumber => "malformed number",
            Self::BadLiteral => "expected true, false or null",
            Self::TrailingText => "text after the value",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::ControlCharacter => "control character in a string",
            Self::UnknownEscape => "unknown escape in a string",
            Self::LoneSurrogate => "lone surrogate in a string",
            Self::NumberOutOfRange => "number out of range",
            Self::TooDeep => "nesting at the depth limit",
            Self::TooLong => "text longer than the limit",
            Self::TooManyValues => "more values than the limit",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    /// What was wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where, in bytes from the start of the text.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for Error {}
