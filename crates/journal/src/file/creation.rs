//! The creation of a journal file, and its lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::FileJournal;
use super::folder::make_folder;
use crate::JournalError;

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
}

pub(super) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => {
            Err(JournalError::Io { path: path.to_owned(), doing: "locked", source })
        }
    }
}
