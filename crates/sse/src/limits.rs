//! How much of a stream is held in memory before it is refused.

const MEBIBYTE: usize = 1 << 20;

/// How long a line and an event may be.
///
/// ```
/// use windlass_sse::{ErrorKind, Limits, Parser};
///
/// let mut parser = Parser::with_limits(Limits::default().with_line_bytes(8));
/// let error = parser.push(b"data: a long line", |_| ()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::LineTooLong);
/// assert_eq!(error.offset(), 8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Most bytes of one line, its line end not counted. 16 MiB by default.
    pub line_bytes: usize,
    /// Most bytes of one event's data, the joining line feeds counted. 16 MiB by default.
    pub event_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line_bytes: 16 * MEBIBYTE, event_bytes: 16 * MEBIBYTE }
    }
}

impl Limits {
    /// Sets the most bytes of one line.
    pub fn with_line_bytes(mut self, line_bytes: usize) -> Self {
        self.line_bytes = line_bytes;
        self
    }

    /// Sets the most bytes of one event's data.
    pub fn with_event_bytes(mut self, event_bytes: usize) -> Self {
        self.event_bytes = event_bytes;
        self
    }
}
