//! A journal in a file: its creation, and appends.

pub(crate) mod recovery;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
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

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => {
            Err(JournalError::Io { path: path.to_owned(), doing: "locked", source })
        }
    }
}

#[cfg(test)]
mod tests;
