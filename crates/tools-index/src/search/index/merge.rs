//! Merges of segments. They bound the number of segments, and drop the words of removed files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::encoding::small;
use super::manifest::SegmentRecord;
use super::part::Part;
use super::postings::PostingWriter;
use super::rows::Rows;
use super::segment::{Segment, Word};
use super::segment_writer::SegmentWriter;

/// Number of segments above which small ones are merged. A query reads each word from each segment.
const MAX_PARTS: usize = 8;

/// Merges parts while there are too many, and rewrites parts most chunks of which are removed. Returns the
/// number of the next segment.
pub(crate) fn compact(folder: &Path, parts: &mut Vec<Part>, mut next: u64) -> io::Result<u64> {
    parts.retain(|part| part.files().next().is_some());
    while let Some(chosen) = choose(parts) {
        let (merged, mut kept): (Vec<_>, Vec<_>) =
            parts.drain(..).enumerate().partition(|(position, _)| chosen.contains(position));
        let merged: Vec<Part> = merged.into_iter().map(|(_, part)| part).collect();
        let record = merge(folder, &merged, next)?;
        next = next.saturating_add(1);
        let segment = Arc::new(Segment::open(folder, &record)?);
        parts.extend(kept.drain(..).map(|(_, part)| part));
        parts.push(Part::new(segment, &record));
    }
    Ok(next)
}

/// Returns the positions of the parts to merge. The smallest parts are chosen, together with each next larger
/// one that is at most as large as the chosen ones, so a chunk is rewritten a logarithmic number of times.
fn choose(parts: &[Part]) -> Option<Vec<usize>> {
    let mut sizes: Vec<(usize, usize)> =
        parts.iter().map(Part::live_chunks).enumerate().map(|(position, size)| (size, position)).collect();
    if parts.len() <= MAX_PARTS {
        let is_mostly_removed = |part: &Part, live: usize| live < part.chunks() / 2;
        let found = parts.iter().zip(&sizes).find(|(part, (live, _))| is_mostly_removed(part, *live));
        return found.map(|(_, (_, position))| vec![*position]);
    }
    sizes.sort_unstable();
    let mut sum: usize = 0;
    let mut chosen = Vec::new();
    for (size, position) in sizes {
        if chosen.len() >= 2 && size > sum {
            break;
        }
        sum = sum.saturating_add(size);
        chosen.push(position);
    }
    Some(chosen)
}

/// Cursor over the words of a part.
struct Cursor<'p> {
    segment: &'p Segment,
    /// New position of each chunk, or `None` if its file is removed.
    chunks: Vec<Option<u32>>,
    block: usize,
    /// Words of the current block in descending order.
    words: Vec<Word>,
}

impl<'p> Cursor<'p> {
    /// Appends the rows of a part, and begins at its first word.
    fn new(part: &'p Part, rows: &mut Rows) -> io::Result<Self> {
        let segment = &part.segment;
        let mut chunks = Vec::with_capacity(part.chunks());
        let mut rest = segment.rows.chunks.iter();
        for (file, row) in segment.rows.files.iter().enumerate() {
            let own = rest.by_ref().take(row.chunks as usize);
            if !part.has(small(file)) {
                own.for_each(|_| chunks.push(None));
                continue;
            }
            rows.push_file(&row.path, row.stamp);
            for chunk in own {
                chunks.push(Some(small(rows.chunks.len())));
                let (language, label) = (segment.rows.language(chunk), segment.rows.label(chunk));
                rows.push_chunk((chunk.first, chunk.last), language, label, chunk.lengths);
            }
        }
        let mut cursor = Self { segment, chunks, block: 0, words: Vec::new() };
        cursor.fill()?;
        Ok(cursor)
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.words.is_empty() {
            self.words = self.segment.block(self.block)?.unwrap_or_default();
            self.words.reverse();
            self.block = self.block.saturating_add(1);
        }
        Ok(())
    }

    fn key(&self) -> Option<&[u8]> {
        self.words.last().map(|word| word.key.as_slice())
    }

    /// Appends the postings of the current word, and goes to the next one.
    fn take(&mut self, list: &mut PostingWriter) -> io::Result<()> {
        if let Some(word) = self.words.pop() {
            for (chunk, frequency) in word.postings.iter() {
                if let Some(Some(chunk)) = self.chunks.get(chunk as usize) {
                    list.push(*chunk, frequency);
                }
            }
        }
        self.fill()
    }
}

fn merge(folder: &Path, parts: &[Part], number: u64) -> io::Result<SegmentRecord> {
    let mut rows = Rows::default();
    let cursors: io::Result<Vec<Cursor<'_>>> =
        parts.iter().map(|part| Cursor::new(part, &mut rows)).collect();
    let mut cursors = cursors?;
    let mut writer = SegmentWriter::create(folder, number)?;
    while let Some(key) = cursors.iter().filter_map(Cursor::key).min().map(<[u8]>::to_vec) {
        let mut list = PostingWriter::default();
        for cursor in &mut cursors {
            if cursor.key() == Some(key.as_slice()) {
                cursor.take(&mut list)?;
            }
        }
        if list.count > 0 {
            writer.push(&key, list.count, &list.bytes)?;
        }
    }
    writer.finish(&rows)
}

#[cfg(test)]
mod tests;
