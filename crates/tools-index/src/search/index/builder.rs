//! A segment in memory, before it is written.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::encoding::small;
use super::field::Field;
use super::manifest::SegmentRecord;
use super::postings::PostingWriter;
use super::rows::{Rows, Stamp};
use super::segment_writer::SegmentWriter;
use crate::search::tokens::words;

/// Approximate memory of a word without its posting list, in bytes.
const WORD_BYTES: usize = 128;

/// A chunk to be indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) language: Option<&'static str>,
    /// Kind and name of the symbol, as results show them.
    pub(crate) label: String,
    /// Names of the symbols in the chunk.
    pub(crate) titles: Vec<String>,
    pub(crate) body: String,
}

/// Files and their words, until they are written as a segment.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    rows: Rows,
    words: HashMap<Box<[u8]>, List>,
    bytes: usize,
    key: Vec<u8>,
}

/// Posting list under construction.
#[derive(Debug, Default)]
struct List {
    written: PostingWriter,
    /// Last chunk with the word, and the number of occurrences so far.
    open: Option<(u32, u32)>,
}

impl List {
    fn close(&mut self) {
        if let Some((chunk, frequency)) = self.open.take() {
            self.written.push(chunk, frequency);
        }
    }
}

impl Builder {
    /// Adds a file.
    pub(crate) fn add_file(&mut self, path: &str, stamp: Stamp, pieces: &[Piece]) {
        self.rows.push_file(path, stamp);
        for piece in pieces {
            let chunk = small(self.rows.chunks.len());
            let mut lengths = [0; Field::ALL.len()];
            let mut add = |field: Field, text: &str| {
                let count = self.add_words(chunk, field, text);
                if let Some(length) = lengths.get_mut(field.position()) {
                    *length = count.saturating_add(*length);
                }
            };
            piece.titles.iter().for_each(|title| add(Field::Title, title));
            add(Field::Path, path);
            add(Field::Body, &piece.body);
            let lines = (small(piece.first), small(piece.last));
            self.rows.push_chunk(lines, piece.language, &piece.label, lengths);
        }
    }

    /// Adds the words of a text. Returns their number.
    fn add_words(&mut self, chunk: u32, field: Field, text: &str) -> u32 {
        let mut count: u32 = 0;
        let (key, bytes, lists) = (&mut self.key, &mut self.bytes, &mut self.words);
        words(text, &mut |word| {
            count = count.saturating_add(1);
            field.key(word, key);
            let list = if let Some(list) = lists.get_mut(key.as_slice()) {
                list
            } else {
                *bytes = bytes.saturating_add(WORD_BYTES).saturating_add(key.len());
                lists.entry(key.as_slice().into()).or_default()
            };
            match &mut list.open {
                Some((open, frequency)) if *open == chunk => *frequency = frequency.saturating_add(1),
                _ => {
                    list.close();
                    *bytes = bytes.saturating_add(2);
                    list.open = Some((chunk, 1));
                }
            }
        });
        count
    }

    /// Returns true if no file was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.files.is_empty()
    }

    /// Returns the approximate memory of the words, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes the segment.
    pub(crate) fn write(self, folder: &Path, number: u64) -> io::Result<SegmentRecord> {
        let mut sorted: Vec<(Box<[u8]>, List)> = self.words.into_iter().collect();
        sorted.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        let mut writer = SegmentWriter::create(folder, number)?;
        for (key, mut list) in sorted {
            list.close();
            writer.push(&key, list.written.count, &list.written.bytes)?;
        }
        writer.finish(&self.rows)
    }
}
