//! A journal in a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use windlass_protocol::RawJson;

use crate::{Durability, Journal, JournalError, Record, line};

/// A journal in a file: one record a line with a checksum, appended by one process at a time.
///
/// A crash can cut the last line off or leave zeros at the end; both are dropped when the file is opened again. Any other
/// line that does not match its checksum is an error, also the last one: a line with its line feed was written whole, so its
/// call may have run, and dropping the record would run the call again (RULES R6).
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    file: File,
    next_seq: u64,
}

/// What the end of an opened file was like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "whole or torn")]
pub enum Tail {
    /// The last record is whole.
    Whole,
    /// A crash had cut the last record; these many bytes were dropped.
    Torn {
        /// How many.
        bytes: u64,
    },
}

/// What was left out of a damaged journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Salvaged {
    /// The first damaged line, from 1.
    pub line: usize,
    /// How many bytes were left out, from there on.
    pub bytes: u64,
    /// The file as it was.
    pub copy: PathBuf,
}

impl FileJournal {
    /// Makes a new journal; its folder is made too. Only the user can read either.
    ///
    /// # Errors
    /// If there is a file of this name, or it cannot be made.
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
        // The folder's entry has to be as durable as the records will be.
        if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
            folder.sync_all().map_err(|source| io("made")(&path, source))?;
        }
        Ok(Self { path, file, next_seq: 0 })
    }

    /// Opens a journal to go on with it, and drops a torn last line for good.
    ///
    /// # Errors
    /// If it is not there, another process writes it, or it is damaged.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Tail), JournalError> {
        let path = path.into();
        let (file, bytes) = opened(&path)?;
        let (records, whole) = read_lines(&bytes, &path)?;
        let torn = (bytes.len() as u64).saturating_sub(whole);
        if torn > 0 {
            cut(&file, whole, &path)?;
        }
        let tail = if torn == 0 { Tail::Whole } else { Tail::Torn { bytes: torn } };
        Ok((Self { path, file, next_seq: records.len() as u64 }, tail))
    }

    /// Opens a journal that is damaged: what stands before the damage is kept, the file as it was is
    /// kept beside it under `NAME.damaged` with a number, and the journal goes on from there.
    ///
    /// What stood behind the damage is no longer on record, so whoever goes on has to look at the present state first.
    /// Gives back the journal and what was left out; nothing of it if there was no damage.
    ///
    /// # Errors
    /// If it is not there, another process writes it, or it cannot be copied or cut.
    pub fn salvage(path: impl Into<PathBuf>) -> Result<(Self, Option<Salvaged>), JournalError> {
        let path = path.into();
        let (file, bytes) = opened(&path)?;
        let (records, whole, damaged) = prefix(&bytes);
        let lost = (bytes.len() as u64).saturating_sub(whole);
        let salvaged = match damaged {
            Some(line) => {
                let copy = keep_copy(&path, &bytes).map_err(|source| failed(&path, "copied", source))?;
                Some(Salvaged { line, bytes: lost, copy })
            }
            None => None,
        };
        if lost > 0 {
            cut(&file, whole, &path)?;
        }
        Ok((Self { path, file, next_seq: records.len() as u64 }, salvaged))
    }

    /// Reads the records of a journal that somebody may be writing, without touching it.
    ///
    /// # Errors
    /// If it is not there or damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, JournalError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| JournalError::Io {
            path: path.to_owned(),
            doing: "read",
            source,
        })?;
        read_lines(&bytes, path).map(|(records, _)| records)
    }

    /// The file.
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
            // Half a line must not be followed by a whole one: take back what was written.
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

/// Makes a folder with those above it, for the user alone. One that is there stays as it is.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn failed(path: &Path, doing: &'static str, source: io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), doing, source }
}

/// The file of a journal that is there, locked, with its bytes.
fn opened(path: &Path) -> Result<(File, Vec<u8>), JournalError> {
    let file = OpenOptions::new().read(true).append(true).open(path);
    let mut file = file.map_err(|source| failed(path, "opened", source))?;
    lock(&file, path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|source| failed(path, "read", source))?;
    Ok((file, bytes))
}

/// Drops what stands behind the whole records, for good.
fn cut(file: &File, whole: u64, path: &Path) -> Result<(), JournalError> {
    file.set_len(whole).and_then(|()| file.sync_all()).map_err(|source| failed(path, "mended", source))
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

/// The whole records and how many bytes they take.
fn read_lines(bytes: &[u8], path: &Path) -> Result<(Vec<Record>, u64), JournalError> {
    match prefix(bytes) {
        (records, whole, None) => Ok((records, whole)),
        (_, _, Some(line)) => Err(JournalError::Damaged { path: path.to_owned(), line }),
    }
}

/// Returns the whole records up to the first line that is not one, their length in bytes, and the number of that line, from
/// 1, if it is damaged and not torn.
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

/// Whether a crash can have left a last line like this: cut before its line feed, or of zeros, which is what a file system
/// leaves where it had made the file longer and not yet written its blocks.
///
/// A whole record with another byte in the place of its line feed is not cut but damaged.
fn is_torn(full: &[u8], seq: u64) -> bool {
    match full {
        [line @ .., b'\n'] => line.iter().all(|byte| *byte == 0),
        [line @ .., _] => line::decode(line, seq).is_none(),
        [] => true,
    }
}

/// Keeps the bytes beside a file, under a name that is free.
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
