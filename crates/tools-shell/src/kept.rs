//! Bounded buffer for a stream of unknown length: its head, its tail, and its total size (RULES R9).

use std::collections::VecDeque;

/// The head and the tail of a stream, in bounded memory.
#[derive(Debug)]
pub(crate) struct HeadAndTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The maximum number of bytes of the head and of the tail, each.
    half: usize,
    total: u64,
    lines: u64,
}

impl HeadAndTail {
    pub(crate) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0, lines: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        let (_, rest) = rest.split_at(rest.len().saturating_sub(self.half));
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.total > (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the whole stream, or `None` if a part of it was dropped.
    pub(crate) fn whole(&self) -> Option<Vec<u8>> {
        (!self.is_cut()).then(|| self.head.iter().chain(&self.tail).copied().collect())
    }

    /// Returns the stored bytes as text, with a mark in place of a dropped part. A character at the cut is
    /// dropped as a whole.
    pub(crate) fn text(&self) -> String {
        if let Some(whole) = self.whole() {
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        let tail: Vec<u8> = self.tail.iter().copied().skip_while(is_inside).collect();
        // For an unfinished character at the end, the error has no length.
        let head = match std::str::from_utf8(&self.head) {
            Err(error) if error.error_len().is_none() => self.head.get(..error.valid_up_to()),
            _ => None,
        };
        let head = head.unwrap_or(&self.head);
        let missing = self.total.saturating_sub((head.len() + tail.len()) as u64);
        let head = String::from_utf8_lossy(head);
        format!("{head}\n[… {missing} bytes left out …]\n{}", String::from_utf8_lossy(&tail))
    }
}

#[cfg(test)]
mod tests;
