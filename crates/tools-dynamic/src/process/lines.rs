//! Splits output into lines, with a limit on their size.

/// Maximum size of a line, in bytes.
pub(crate) const LINE_BYTES: usize = 1024 * 1024;

/// Splits a stream into lines. Buffers at most `cap` bytes of a line.
#[derive(Debug)]
pub(crate) struct Lines {
    cap: usize,
    line: Vec<u8>,
    bytes: u64,
}

/// A line without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    /// A line over the limit, with its first bytes and its complete length.
    TooLong {
        head: &'a [u8],
        bytes: u64,
    },
}

impl Lines {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cap, line: Vec::new(), bytes: 0 }
    }

    /// Consumes bytes and calls `each` with every completed line.
    pub(crate) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = self.cap.saturating_sub(self.line.len()).min(piece.len());
            self.line.extend_from_slice(piece.get(..room).unwrap_or_default());
            self.bytes = self.bytes.saturating_add(piece.len() as u64);
            // The piece after the last line end is incomplete.
            if pieces.peek().is_some() {
                each(if self.bytes > self.line.len() as u64 {
                    Line::TooLong { head: &self.line, bytes: self.bytes }
                } else {
                    Line::Whole(&self.line)
                });
                self.line.clear();
                self.bytes = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests;
