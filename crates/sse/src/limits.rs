//! Limits on the memory of a parser.

const MEBIBYTE: usize = 1 << 20;

/// The maximum lengths of a line and of an event.
///
/// ```
/// use windlass_sse::{ErrorKind, SseLimits, Parser};
///
/// let mut parser = Parser::with_limits(SseLimits::default().with_line_bytes(8));
/// let error = parser.push(b"data: a long line", |_| ()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LineTooLong);
/// assert_eq!(error.offset(), 8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SseLimits {
    /// The maximum length of a line in bytes, without its line end. 16 MiB by default.
    pub line_bytes: usize,
    /// The maximum length of an event's data in bytes, including the joining line feeds. 16 MiB by default.
    pub event_bytes: usize,
}

impl Default for SseLimits {
    fn default() -> Self {
        Self { line_bytes: 16 * MEBIBYTE, event_bytes: 16 * MEBIBYTE }
    }
}

impl SseLimits {
    /// Sets the maximum length of a line.
    pub fn with_line_bytes(mut self, line_bytes: usize) -> Self {
        self.line_bytes = line_bytes;
        self
    }

    /// Sets the maximum length of an event's data.
    pub fn with_event_bytes(mut self, event_bytes: usize) -> Self {
        self.event_bytes = event_bytes;
        self
    }
}
