//! Lines out of bytes: what a server writes, cut at line ends, with a cap (RULES S16).

use super::scan::Scan;

/// The mark that some programs put before UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// How much of the beginning of a line that is too long is kept.
const HEAD_BYTES: usize = 8 * 1024;
/// A buffer that grew beyond this is given back after its line.
const KEPT_BYTES: usize = 256 * 1024;

/// Cuts a stream into lines. It keeps one line and never more of it than the cap.
pub(crate) struct Frames {
    cap: usize,
    line: Vec<u8>,
    long: Option<Long>,
}

/// A line that is too long: it goes past, and its beginning is kept.
#[derive(Default)]
struct Long {
    scan: Scan,
    bytes: u64,
    head: Vec<u8>,
}

/// A line, or what is known of one that was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A line without its end, a mark of UTF-8 and spaces around it; never empty.
    Line(&'a [u8]),
    /// A line over the cap.
    TooLong { id: Option<u64>, bytes: u64, head: &'a [u8] },
}

impl Frames {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cap, line: Vec::new(), long: None }
    }

    /// Takes bytes and hands on each line that they end.
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

    /// Whether a line was begun and not ended.
    pub(crate) fn has_half(&self) -> bool {
        self.long.is_some() || !trimmed(&self.line).is_empty()
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
        let line = trimmed(&self.line);
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

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}

#[cfg(test)]
mod tests;
