//! The error type: its kinds and its byte offset.

use core::fmt;

/// The reason why a text is not JSON, with a byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text ended inside a value, or before the first one.
    Incomplete,
    /// A byte that cannot start a value, where a value must start.
    ExpectedValue,
    /// A token other than a string, where a key must start.
    ExpectedKey,
    /// A byte other than a colon after a key.
    ExpectedColon,
    /// A byte other than a comma or the closing bracket after an element or a member.
    ExpectedCommaOrEnd,
    /// A number that breaks the grammar.
    BadNumber,
    /// A word that is not `true`, `false` or `null`.
    BadLiteral,
    /// Bytes other than white space after the value.
    TrailingText,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// An unescaped control character in a string. Snapshots contain it; a strict parse refuses it.
    ControlCharacter,
    /// An escape that JSON does not define. Snapshots contain it as written; a strict parse refuses it.
    UnknownEscape,
    /// Half of a surrogate pair. Snapshots contain U+FFFD instead; a strict parse refuses it.
    LoneSurrogate,
    /// A number too large for a 64-bit float. Snapshots contain its text; a strict parse refuses it.
    NumberOutOfRange,
    /// Nesting that reaches [`JsonLimits::depth`](crate::JsonLimits::depth).
    TooDeep,
    /// More text than [`JsonLimits::bytes`](crate::JsonLimits::bytes).
    TooLong,
    /// More values than [`JsonLimits::values`](crate::JsonLimits::values).
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

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the byte offset from the start of the text.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}
