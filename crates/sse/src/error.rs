//! The error of this crate: a stream that exceeds its limits.

use core::fmt;

/// Error for a stream that exceeds its limits, with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

/// The limit that a stream exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A line is longer than [`SseLimits::line_bytes`](crate::SseLimits::line_bytes).
    LineTooLong,
    /// An event's data is longer than [`SseLimits::event_bytes`](crate::SseLimits::event_bytes).
    EventTooLong,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// Returns the exceeded limit.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset in bytes from the start of the stream: the first byte of a line beyond its
    /// limit, or the start of the line that made the event too long.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LineTooLong => "line longer than the limit",
            Self::EventTooLong => "event data longer than the limit",
        })
    }
}

impl core::error::Error for Error {}
impl core::error::Error for ErrorKind {}
