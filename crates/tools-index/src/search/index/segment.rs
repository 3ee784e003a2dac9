//! Reader of a segment file.
#![expect(
    clippy::disallowed_methods,
    reason = "the index lies outside of every workspace, where no handle leads"
)]

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::encoding::{take_bytes, take_number};
use super::field::Field;
use super::manifest::{SegmentRecord, segment_path};
use super::postings::Postings;
use super::rows::Rows;

const BUFFER_BYTES: usize = 256 * 1024;
/// Three offsets of eight bytes.
const FOOTER_BYTES: u64 = 24;

/// An open segment. Its rows are in memory; words and posting lists are read from the file when a query needs
/// them.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) rows: Rows,
    pub(super) record: SegmentRecord,
    file: Mutex<File>,
    blocks: Vec<Block>,
    /// Start and end of the words in the file. The posting lists lie before them.
    words: (u64, u64),
}

/// Start of a block of words.
#[derive(Clone, Debug)]
struct Block {
    first: Box<[u8]>,
    words: u64,
    postings: u64,
}

/// A word of a segment, with its posting list.
pub(super) struct Word {
    pub(super) key: Vec<u8>,
    pub(super) postings: Postings,
}

/// A word without its posting list.
struct Entry {
    key: Vec<u8>,
    count: u64,
    /// Start and end of the posting list in the file.
    postings: (u64, u64),
}

impl Segment {
    /// Opens a segment and compares the whole file with its checksum.
    ///
    /// # Errors
    /// If the file cannot be read; `InvalidData` if the content differs from the written one.
    pub(crate) fn open(folder: &Path, record: &SegmentRecord) -> io::Result<Self> {
        let mut file = File::open(segment_path(folder, record.number))?;
        check(&mut file, record)?;
        let footer = read(&mut file, record.bytes.saturating_sub(FOOTER_BYTES), record.bytes)?;
        let mut offsets =
            footer.chunks_exact(8).filter_map(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
        let (Some(words), Some(blocks), Some(rows)) = (offsets.next(), offsets.next(), offsets.next()) else {
            return Err(damage_error());
        };
        let end = record.bytes.saturating_sub(FOOTER_BYTES);
        let rows_bytes = read(&mut file, rows, end)?;
        let block_bytes = read(&mut file, blocks, rows)?;
        Ok(Self {
            rows: Rows::decode(&rows_bytes).ok_or_else(damage_error)?,
            record: SegmentRecord { removed: Vec::new(), ..record.clone() },
            file: Mutex::new(file),
            blocks: decode_blocks(&block_bytes).ok_or_else(damage_error)?,
            words: (words, blocks),
        })
    }

    /// Returns the posting list of a word in a field, which is empty if the word does not occur.
    pub(crate) fn find(&self, field: Field, word: &str) -> io::Result<Postings> {
        let mut key = Vec::new();
        field.key(word, &mut key);
        let after = self.blocks.partition_point(|block| *block.first <= *key);
        let Some(position) = after.checked_sub(1) else { return Ok(Postings::default()) };
        match self.entries(position)?.into_iter().find(|entry| entry.key == key) {
            Some(Entry { count, postings: (start, end), .. }) => {
                Ok(Postings { count, bytes: self.read(start, end)? })
            }
            None => Ok(Postings::default()),
        }
    }

    /// Returns the words of a block with their posting lists, or `None` after the last block.
    pub(super) fn block(&self, position: usize) -> io::Result<Option<Vec<Word>>> {
        if position >= self.blocks.len() {
            return Ok(None);
        }
        let entries = self.entries(position)?;
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Err(damage_error()) };
        let bytes = self.read(first.postings.0, last.postings.1)?;
        let mut rest = bytes.as_slice();
        let mut words = Vec::with_capacity(entries.len());
        for Entry { key, count, postings: (start, end) } in entries {
            let len = usize::try_from(end.saturating_sub(start)).map_err(|_| damage_error())?;
            let (postings, more) = rest.split_at_checked(len).ok_or_else(damage_error)?;
            rest = more;
            words.push(Word { key, postings: Postings { bytes: postings.to_vec(), count } });
        }
        Ok(Some(words))
    }

    fn entries(&self, position: usize) -> io::Result<Vec<Entry>> {
        let block = self.blocks.get(position).ok_or_else(damage_error)?;
        let (start, end) = self.words;
        let next = self.blocks.get(position.saturating_add(1));
        let until = next.map_or(end, |next| start.saturating_add(next.words));
        let bytes = self.read(start.saturating_add(block.words), until)?;
        decode_entries(&bytes, block.postings).ok_or_else(damage_error)
    }

    fn read(&self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        read(&mut self.file.lock().unwrap_or_else(PoisonError::into_inner), start, end)
    }
}

fn decode_blocks(mut bytes: &[u8]) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    while !bytes.is_empty() {
        let first = take_bytes(&mut bytes)?.into();
        blocks.push(Block { first, words: take_number(&mut bytes)?, postings: take_number(&mut bytes)? });
    }
    Some(blocks)
}

fn decode_entries(mut bytes: &[u8], mut postings: u64) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    while !bytes.is_empty() {
        let shared = usize::try_from(take_number(&mut bytes)?).ok()?;
        let suffix = take_bytes(&mut bytes)?;
        let previous = entries.last().map_or(&[][..], |entry| &entry.key);
        let key = [previous.get(..shared)?, suffix].concat();
        let count = take_number(&mut bytes)?;
        let end = postings.checked_add(take_number(&mut bytes)?)?;
        entries.push(Entry { key, count, postings: (postings, end) });
        postings = end;
    }
    Some(entries)
}

fn check(file: &mut File, record: &SegmentRecord) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    let (mut checksum, mut bytes) = (0, 0_u64);
    loop {
        let count = file.read(&mut buffer)?;
        let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else { break };
        checksum = crc32c::crc32c_append(checksum, part);
        bytes = bytes.saturating_add(count as u64);
    }
    if (checksum, bytes) == (record.checksum, record.bytes) { Ok(()) } else { Err(damage_error()) }
}

fn read(file: &mut File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let len = end.checked_sub(start).and_then(|len| usize::try_from(len).ok()).ok_or_else(damage_error)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(len as u64).read_to_end(&mut bytes)?;
    if bytes.len() == len { Ok(bytes) } else { Err(damage_error()) }
}

fn damage_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a segment of the index is damaged")
}
