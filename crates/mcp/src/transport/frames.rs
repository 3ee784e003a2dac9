//! Splits a server's output into lines of limited length (RULES S16).

use super::scan::Scan;

/// The UTF-8 byte order mark.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// Number of bytes kept from the start of a line over the cap.
const HEAD_BYTES: usize = 8 * 1024;
/// Capacity to which the buffer shrinks after a longer line.
const KEPT_BYTES: usize = 256 * 1024;

/// A splitter of a byte stream into lines. It buffers one line of at most `cap` bytes.
pub(crate) struct Frames {
    cap: usize,
    line: Vec<u8>,
    long: Option<Long>,
}

/// A line over the cap. Only its start and its JSON-RPC id are kept.
#[derive(Default)]
struct Long {
    scan: Scan,
    bytes: u64,
    head: Vec<u8>,
}

/// A line, or the known parts of a line over the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A line without line end, byte order mark and surrounding white space. It is never empty.
    Line(&'a [u8]),
    /// A line over the cap, with its id if one was found, its length in bytes and its start.
    TooLong { id: Option<u64>, bytes: u64, head: &'a [u8] },
}

impl Frames {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cap, line: Vec::new(), long: None }
    }

    /// Appends bytes, and calls `each` for each line that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(at);
            rest = after.get(1..).unwrap_or_default();
            self.grow(line);
            self.end(each);
        }
        self.grow(rest);
    }

    /// Returns whether the buffer has an incomplete line.
    pub(crate) fn has_half(&self) -> bool {
        self.long.is_some() || !trim(&self.line).is_empty()
    }

    fn grow(&mut self, bytes: &[u8]) {
        if self.long.is_none() && self.line.len().saturating_add(bytes.len()) > self.cap {
            let mut long = Long::default();
            long.push(&std::mem::take(&mut self.line));
            self.long = Some(long);
        }
        match &mut self.long {
            Some(long) => long.push(bytes),
            None => self.line.extend_from_slice(bytes),
        }
    }

    fn end(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if let Some(long) = self.long.take() {
            return each(Frame::TooLong { id: long.scan.id(), bytes: long.bytes, head: &long.head });
        }
        let line = trim(&self.line);
        if !line.is_empty() {
            each(Frame::Line(line));
        }
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
    }
}

impl Long {
    fn push(&mut self, bytes: &[u8]) {
        self.scan.push(bytes);
        let room = HEAD_BYTES.saturating_sub(self.head.len());
        self.head.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}

#[cfg(test)]
mod tests;
