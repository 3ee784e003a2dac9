//! The one error of this crate: a stream that is longer than its limits.

use thiserror::Error;

/// Why a stream was refused, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

/// What was wrong with a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A line is longer than [`Limits::line_bytes`](crate::Limits::line_bytes).
    #[error("line longer than the limit")]
    LineTooLong,
    /// An event's data is longer than [`Limits::event_bytes`](crate::Limits::event_bytes).
    #[error("event data longer than the limit")]
    EventTooLong,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// What was wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where, in bytes from the start of the stream: the first byte of a line over its limit, or the start
    /// of the line that made the event too long.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}
