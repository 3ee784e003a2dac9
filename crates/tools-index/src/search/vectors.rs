//! Cache of vectors: a file for each space, beside the index.
//!
//! The first line contains version, space and dimensions. Records of fixed size follow: key, numbers,
//! checksum. New records are appended. The reader stops at the first damaged record, and the next write then
//! replaces the file by a rename.
#![expect(
    clippy::disallowed_methods,
    reason = "they lie beside the index, outside of every workspace, where no handle leads"
)]

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::folder;

/// Increase it whenever the same text would get another vector.
const VERSION: &str = "windlass-vectors 1";
const CHECK_BYTES: usize = 4;

/// Digest of a text, the key of its vector.
pub(super) type Key = [u8; 16];
/// Vector of length one.
pub(super) type Vector = Arc<[f32]>;

/// Returns the digest of a text.
pub(super) fn key(text: &str) -> Key {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut key = Key::default();
    key.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    key
}

/// Vectors of one space.
#[derive(Debug)]
pub(super) struct Vectors {
    folder: PathBuf,
    /// Digest of the space, as used in file names and headers.
    space: String,
    most_bytes: usize,
    held: Mutex<HeldContent>,
}

/// Content of the file when this process last read or wrote it.
#[derive(Debug, Default)]
struct HeldContent {
    stamp: Option<(u64, SystemTime)>,
    dimensions: usize,
    vectors: HashMap<Key, Vector>,
    /// Keys, the oldest first.
    order: Vec<Key>,
    /// True if the file is undamaged, so that records may be appended.
    is_whole: bool,
}

impl Vectors {
    /// Creates the cache of a space in a folder, which need not exist yet.
    pub(super) fn new(folder: PathBuf, space: &str, most_bytes: usize) -> Self {
        let space = format!("{:032x}", u128::from_be_bytes(key(space)));
        Self { folder, space, most_bytes, held: Mutex::default() }
    }

    /// Returns the cached vectors of these keys.
    pub(super) fn find(&self, keys: &[Key]) -> HashMap<Key, Vector> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_again(&mut held);
        keys.iter().filter_map(|key| Some((*key, Arc::clone(held.vectors.get(key)?)))).collect()
    }

    /// Caches vectors, all of the same length. If another process is writing, these are dropped and will be
    /// requested again.
    pub(super) fn keep(&self, fresh: &[(Key, Vector)]) -> io::Result<()> {
        let Some((_, first)) = fresh.first() else { return Ok(()) };
        let dimensions = first.len();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        folder::make(&self.folder)?;
        let lock = self.path("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(()),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        self.read_again(&mut held);
        if held.dimensions != dimensions {
            *held = HeldContent { dimensions, ..HeldContent::default() };
        }
        let mut added = Vec::new();
        for (key, vector) in fresh.iter().filter(|(_, vector)| vector.len() == dimensions) {
            if held.vectors.insert(*key, Arc::clone(vector)).is_none() {
                held.order.push(*key);
                added.push(*key);
            }
        }
        let fits = record_bytes(dimensions).saturating_mul(held.order.len()) <= self.most_bytes;
        if held.is_whole && fits {
            self.append(&held, &added)?;
        } else {
            self.rewrite(&mut held)?;
        }
        held.stamp = self.stamp();
        held.is_whole = true;
        Ok(())
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.space))
    }

    fn stamp(&self) -> Option<(u64, SystemTime)> {
        let metadata = fs::metadata(self.path("vectors")).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }

    fn head(&self, dimensions: usize) -> String {
        format!("{VERSION} {} {dimensions}\n", self.space)
    }

    /// Reads the file if it has changed since it was last read.
    fn read_again(&self, held: &mut HeldContent) {
        let stamp = self.stamp();
        if stamp.is_some() && stamp == held.stamp {
            return;
        }
        let too_long = stamp.is_none_or(|(len, _)| len > self.most_bytes.saturating_add(4096) as u64);
        let bytes = if too_long { Vec::new() } else { fs::read(self.path("vectors")).unwrap_or_default() };
        *held = self.parse(&bytes).unwrap_or_default();
        held.stamp = stamp;
    }

    /// Parses the undamaged records. Returns `None` if the header is invalid.
    fn parse(&self, bytes: &[u8]) -> Option<HeldContent> {
        let end = bytes.iter().take(200).position(|byte| *byte == b'\n')?;
        let (first_line, records) = bytes.split_at_checked(end.checked_add(1)?)?;
        let dimensions: usize =
            std::str::from_utf8(first_line).ok()?.trim_end().rsplit(' ').next()?.parse().ok()?;
        if first_line != self.head(dimensions).as_bytes() || dimensions == 0 {
            return None;
        }
        let size = record_bytes(dimensions);
        let mut held = HeldContent {
            dimensions,
            is_whole: records.len().is_multiple_of(size),
            ..HeldContent::default()
        };
        for record in records.chunks_exact(size) {
            let Some((key, vector)) = parse_record(record) else {
                held.is_whole = false;
                break;
            };
            if held.vectors.insert(key, vector).is_none() {
                held.order.push(key);
            }
        }
        Some(held)
    }

    fn append(&self, held: &HeldContent, added: &[Key]) -> io::Result<()> {
        let records: Vec<u8> = added.iter().flat_map(|key| record(key, held)).collect();
        OpenOptions::new().append(true).open(self.path("vectors"))?.write_all(&records)
    }

    /// Replaces the file. If it would be too long, keeps only the newest vectors, up to half of
    /// the maximum size.
    fn rewrite(&self, held: &mut HeldContent) -> io::Result<()> {
        let size = record_bytes(held.dimensions);
        let room = self.most_bytes.checked_div(size).unwrap_or_default();
        if held.order.len() > room {
            let gone: HashSet<Key> = held.order.drain(..held.order.len().saturating_sub(room / 2)).collect();
            held.vectors.retain(|key, _| !gone.contains(key));
        }
        let mut bytes = self.head(held.dimensions).into_bytes();
        held.order.iter().for_each(|key| bytes.extend(record(key, held)));
        // Not synced: a file that a system crash damages is detected by the checksums and costs at most one
        // more request.
        let new = self.path("new");
        File::create(&new)?.write_all(&bytes)?;
        fs::rename(new, self.path("vectors"))
    }
}

fn record_bytes(dimensions: usize) -> usize {
    dimensions.saturating_mul(4).saturating_add(size_of::<Key>() + CHECK_BYTES)
}

fn record(key: &Key, held: &HeldContent) -> Vec<u8> {
    let Some(vector) = held.vectors.get(key) else { return Vec::new() };
    let mut record = Vec::with_capacity(record_bytes(vector.len()));
    record.extend(key);
    vector.iter().for_each(|number| record.extend(number.to_le_bytes()));
    let check = crc32c::crc32c(&record);
    record.extend(check.to_le_bytes());
    record
}

fn parse_record(record: &[u8]) -> Option<(Key, Vector)> {
    let (said, check) = record.split_last_chunk::<CHECK_BYTES>()?;
    if crc32c::crc32c(said) != u32::from_le_bytes(*check) {
        return None;
    }
    let (key, numbers) = said.split_first_chunk()?;
    let (numbers, _) = numbers.as_chunks::<4>();
    let vector: Vector = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    vector.iter().all(|number| number.is_finite()).then_some((*key, vector))
}

#[cfg(test)]
mod tests;
