//! A journal in a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use windlass_protocol::RawJson;

use crate::{Durability, Journal, JournalError, Record, line};

/// A journal in a file with one record per line. Each line has a checksum. A lock on the file ensures that
/// only one process appends.
///
/// A crash can cut the last line or leave zeros at the end of the file. Both are dropped when the file is
/// opened again. Every other line that does not match its checksum is an error, including the last one: a
/// line with a line feed was written completely, so the recorded call may have run, and a dropped record
/// would let the call run again (RULES R6).
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    file: File,
    next_seq: u64,
}

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
    /// Creates a journal, and its folder if necessary. On Unix only the user can access the file (mode 0600)
    /// and new folders (0700).
    ///
    /// # Errors
    /// Returns an error if the file exists, cannot be created, or is locked by another process.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, JournalError> {
        let path = path.into();
        let io = |doing| move |path: &Path, source| JournalError::Io { path: path.to_owned(), doing, source };
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(|source| io("made")(&path, source))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|source| io("made")(&path, source))?;
        lock(&file, &path)?;
        // The folder's entry for the file must be as durable as the records.
        if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
            folder.sync_all().map_err(|source| io("made")(&path, source))?;
        }
        Ok(Self { path, file, next_seq: 0 })
    }

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
    /// Returns an error if the file cannot be read or is damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, JournalError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| JournalError::Io {
            path: path.to_owned(),
            doing: "read",
            source,
        })?;
        read_lines(&bytes, path).map(|(records, _)| records)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, line: &[u8], durability: Durability) -> io::Result<()> {
        self.file.write_all(line)?;
        match durability {
            Durability::Synced => self.file.sync_data(),
            Durability::Buffered => Ok(()),
        }
    }
}

impl Journal for FileJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        let seq = self.next_seq;
        let line =
            line::encode(&Record::new(seq, at_ms, body)).map_err(|source| JournalError::Encode { source })?;
        let end = self.file.seek(SeekFrom::End(0));
        if let Err(source) = self.write(&line, durability) {
            // A complete line must not follow a partial one, so remove the bytes that were written.
            if let Ok(end) = end {
                drop(self.file.set_len(end));
            }
            return Err(JournalError::Io { path: self.path.clone(), doing: "written", source });
        }
        self.next_seq = seq.saturating_add(1);
        Ok(seq)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        Self::read(&self.path)
    }
}

/// Creates a folder and its parents with mode 0700. The mode of existing folders does not change.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
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

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => {
            Err(JournalError::Io { path: path.to_owned(), doing: "locked", source })
        }
    }
}

/// Returns the complete records and their length in bytes.
fn read_lines(bytes: &[u8], path: &Path) -> Result<(Vec<Record>, u64), JournalError> {
    match prefix(bytes) {
        (records, whole, None) => Ok((records, whole)),
        (_, _, Some(line)) => Err(JournalError::Damaged { path: path.to_owned(), line }),
    }
}

/// Returns the records before the first line that cannot be decoded, their length in bytes, and the number of
/// that line, from 1, if it is damaged and not torn.
fn prefix(bytes: &[u8]) -> (Vec<Record>, u64, Option<usize>) {
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

#[cfg(test)]
mod tests;
