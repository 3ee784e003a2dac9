//! Writer of a segment file: posting lists, words, the first word of each block of words, rows, footer.
#![expect(
    clippy::disallowed_methods,
    reason = "the index lies outside of every workspace, where no handle leads"
)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::encoding::{push_bytes, push_number};
use super::manifest::{SegmentRecord, segment_path};
use super::rows::Rows;

/// Number of words that share a block. A lookup reads one block.
const BLOCK_WORDS: usize = 32;
const BUFFER_BYTES: usize = 256 * 1024;

/// A segment that is being written.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    number: u64,
    out: BufWriter<File>,
    /// Number of bytes of posting lists.
    postings: u64,
    words: Vec<u8>,
    blocks: Vec<u8>,
    count: usize,
    last: Vec<u8>,
    checksum: u32,
}

impl SegmentWriter {
    /// Creates the file of a segment, or replaces the file that a crash has left.
    pub(super) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let file = File::create(segment_path(folder, number))?;
        Ok(Self {
            number,
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            postings: 0,
            words: Vec::new(),
            blocks: Vec::new(),
            count: 0,
            last: Vec::new(),
            checksum: 0,
        })
    }

    /// Appends a word with its posting list. Keys must come in ascending order.
    pub(super) fn push(&mut self, key: &[u8], count: u64, postings: &[u8]) -> io::Result<()> {
        if self.count.is_multiple_of(BLOCK_WORDS) {
            push_bytes(&mut self.blocks, key);
            push_number(&mut self.blocks, self.words.len() as u64);
            push_number(&mut self.blocks, self.postings);
            self.last.clear();
        }
        let shared = key.iter().zip(&self.last).take_while(|(left, right)| left == right).count();
        push_number(&mut self.words, shared as u64);
        push_bytes(&mut self.words, key.get(shared..).unwrap_or_default());
        push_number(&mut self.words, count);
        push_number(&mut self.words, postings.len() as u64);
        self.last.clear();
        self.last.extend_from_slice(key);
        self.count = self.count.saturating_add(1);
        self.postings = self.postings.saturating_add(postings.len() as u64);
        self.write(postings)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum = crc32c::crc32c_append(self.checksum, bytes);
        self.out.write_all(bytes)
    }

    /// Writes the tables and waits until the disk has the file.
    pub(super) fn finish(mut self, rows: &Rows) -> io::Result<SegmentRecord> {
        let (words, blocks) = (std::mem::take(&mut self.words), std::mem::take(&mut self.blocks));
        let rows = rows.encode();
        let mut at = self.postings;
        let mut footer = Vec::new();
        for region in [&words, &blocks, &rows] {
            footer.extend_from_slice(&at.to_le_bytes());
            at = at.saturating_add(region.len() as u64);
            self.write(region)?;
        }
        self.write(&footer)?;
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        let bytes = at.saturating_add(footer.len() as u64);
        Ok(SegmentRecord { number: self.number, bytes, checksum: self.checksum, removed: Vec::new() })
    }
}
