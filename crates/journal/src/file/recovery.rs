//! The opening of an existing journal: torn and damaged lines, and readers without a lock.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::FileJournal;
use super::creation::lock;
use super::value_folder::ValueFolder;
use crate::values::StoredRecord;
use crate::{JournalError, Record, line};

/// The state of the end of an opened file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whole or torn")]
pub enum Tail {
    /// The last record is complete, or the file is empty.
    Whole,
    /// A crash cut the last line or filled it with zeros, and the line has been removed.
    Torn {
        /// The number of bytes that were dropped.
        bytes: u64,
    },
}

/// The data that was removed from a damaged journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SalvagedData {
    /// The number of the first damaged line, from 1.
    pub line: usize,
    /// The number of bytes removed from the start of the damaged line.
    pub bytes: u64,
    /// The path of the copy of the original file.
    pub copy: PathBuf,
}

impl FileJournal {
    /// Opens a journal for further records, and removes a torn last line from the file.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, cannot be read or cut, is damaged, or is locked by
    /// another process.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Tail), JournalError> {
        let path = path.into();
        let (file, bytes) = open(&path)?;
        let (records, whole) = read_lines(&bytes, &path)?;
        let torn = (bytes.len() as u64).saturating_sub(whole);
        if torn > 0 {
            cut(&file, whole, &path)?;
        }
        let tail = if torn == 0 { Tail::Whole } else { Tail::Torn { bytes: torn } };
        Ok((Self { path, file, next_seq: records.len() as u64 }, tail))
    }

    /// Opens a journal that may be damaged. The records before the damage are kept, and the rest is removed
    /// from the file. A copy of the original file is stored beside it as `NAME.damaged-1`, or with the next
    /// free number.
    ///
    /// The removed records are lost, so the caller must inspect the present state before it resumes the run.
    /// Returns the journal and a description of the removed data; `None` if the journal was not damaged.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, cannot be read, copied or cut, or is locked by another
    /// process.
    pub fn salvage(path: impl Into<PathBuf>) -> Result<(Self, Option<SalvagedData>), JournalError> {
        let path = path.into();
        let (file, bytes) = open(&path)?;
        let (records, whole, damaged) = prefix(&bytes);
        let lost = (bytes.len() as u64).saturating_sub(whole);
        let salvaged = match damaged {
            Some(line) => {
                let copy = keep_copy(&path, &bytes).map_err(|source| file_error(&path, "copied", source))?;
                Some(SalvagedData { line, bytes: lost, copy })
            }
            None => None,
        };
        if lost > 0 {
            cut(&file, whole, &path)?;
        }
        Ok((Self { path, file, next_seq: records.len() as u64 }, salvaged))
    }

    /// Reads the records of a journal without a lock and without a change, also while another process
    /// appends. A torn last line is ignored.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is damaged, or if the file of a large value is missing or changed.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, JournalError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| JournalError::Io {
            path: path.to_owned(),
            doing: "read",
            source,
        })?;
        let (records, _) = read_lines(&bytes, path)?;
        let values = ValueFolder::for_journal(path);
        records.into_iter().map(|record| record.join(|reference| values.load(reference))).collect()
    }
}

fn file_error(path: &Path, doing: &'static str, source: io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), doing, source }
}

/// Opens and locks an existing journal, and reads its bytes.
fn open(path: &Path) -> Result<(File, Vec<u8>), JournalError> {
    let file = OpenOptions::new().read(true).append(true).open(path);
    let mut file = file.map_err(|source| file_error(path, "opened", source))?;
    lock(&file, path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|source| file_error(path, "read", source))?;
    Ok((file, bytes))
}

/// Cuts the file after its complete records.
fn cut(file: &File, whole: u64, path: &Path) -> Result<(), JournalError> {
    file.set_len(whole).and_then(|()| file.sync_all()).map_err(|source| file_error(path, "mended", source))
}

/// Returns the complete records and their length in bytes.
fn read_lines(bytes: &[u8], path: &Path) -> Result<(Vec<StoredRecord>, u64), JournalError> {
    match prefix(bytes) {
        (records, whole, None) => Ok((records, whole)),
        (_, _, Some(line)) => Err(JournalError::Damaged { path: path.to_owned(), line }),
    }
}

/// Returns the records before the first line that cannot be decoded, their length in bytes, and the number of
/// that line, from 1, if it is damaged and not torn.
fn prefix(bytes: &[u8]) -> (Vec<StoredRecord>, u64, Option<usize>) {
    let mut records = Vec::new();
    let mut whole = 0_u64;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((number, full)) = lines.next() {
        let record = full.strip_suffix(b"\n").and_then(|line| line::decode(line, records.len() as u64));
        match record {
            Some(record) => records.push(record),
            None if lines.peek().is_none() && is_torn(full, records.len() as u64) => break,
            None => return (records, whole, Some(number.saturating_add(1))),
        }
        whole = whole.saturating_add(full.len() as u64);
    }
    (records, whole, None)
}

/// Returns true if a crash can have left this last line: the line has no line feed, or contains only zeros.
/// Some file systems extend a file before they write its blocks, and a crash leaves zeros there.
///
/// A complete record whose line feed has another value is damaged, because a crash does not change bytes.
fn is_torn(full: &[u8], seq: u64) -> bool {
    match full {
        [line @ .., b'\n'] => line.iter().all(|byte| *byte == 0),
        [line @ .., _] => line::decode(line, seq).is_none(),
        [] => true,
    }
}

/// Writes the bytes to a new file beside `path`, under the first free number, and returns its path.
fn keep_copy(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".damaged-{number}"));
        let copy = path.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&copy) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.sync_all()?;
                return Ok(copy);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => {
                number = number.saturating_add(1);
            }
            Err(error) => return Err(error),
        }
    }
}
