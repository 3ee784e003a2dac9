//! Posting lists: the chunks that contain a word, with its number of occurrences.
//!
//! A posting is the difference to the previous chunk, doubled, plus one if the word occurs more than once;
//! then the number of occurrences follows.

use super::encoding::{push_number, take_number, take_small};

/// Appends postings in the order of their chunks.
#[derive(Debug, Default)]
pub(super) struct PostingWriter {
    pub(super) bytes: Vec<u8>,
    /// Number of postings.
    pub(super) count: u64,
    /// The chunk after the last posting.
    next: u32,
}

impl PostingWriter {
    /// Appends a posting. Chunks must come in ascending order.
    pub(super) fn push(&mut self, chunk: u32, frequency: u32) {
        let gap = u64::from(chunk.saturating_sub(self.next)) << 1;
        push_number(&mut self.bytes, gap | u64::from(frequency > 1));
        if frequency > 1 {
            push_number(&mut self.bytes, u64::from(frequency));
        }
        self.next = chunk.saturating_add(1);
        self.count = self.count.saturating_add(1);
    }
}

/// Posting list of a word, as read from a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Postings {
    pub(super) bytes: Vec<u8>,
    /// Number of postings.
    pub(crate) count: u64,
}

impl Postings {
    /// Returns chunks and numbers of occurrences.
    pub(crate) fn iter(&self) -> PostingIter<'_> {
        PostingIter { rest: &self.bytes, next: 0 }
    }
}

/// Iterator over a posting list. Ends at the first malformed posting.
#[derive(Debug)]
pub(crate) struct PostingIter<'b> {
    rest: &'b [u8],
    next: u32,
}

impl Iterator for PostingIter<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let number = take_number(&mut self.rest)?;
        let chunk = self.next.checked_add(u32::try_from(number >> 1).ok()?)?;
        let frequency = if number & 1 == 0 { 1 } else { take_small(&mut self.rest)? };
        self.next = chunk.saturating_add(1);
        Some((chunk, frequency))
    }
}
