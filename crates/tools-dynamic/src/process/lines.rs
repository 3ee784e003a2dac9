//! Lines out of what a process writes, with a cap on what is kept of one.

/// The longest line that is taken.
pub(crate) const LINE_BYTES: usize = 1024 * 1024;

/// Cuts a stream into lines. It never keeps more of a line than the cap.
#[derive(Debug)]
pub(crate) struct Lines {
    cap: usize,
    line: Vec<u8>,
    bytes: u64,
}

/// A line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    /// It is over the cap; this is how it begins, and how long it is.
    TooLong {
        head: &'a [u8],
        bytes: u64,
    },
}

impl Lines {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cap, line: Vec::new(), bytes: 0 }
    }

    /// Takes bytes and hands on each line that they end.
    pub(crate) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = self.cap.saturating_sub(self.line.len()).min(piece.len());
            self.line.extend_from_slice(piece.get(..room).unwrap_or_default());
            self.bytes = self.bytes.saturating_add(piece.len() as u64);
            // What is behind the last line end is only begun.
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
