//! The folder with the large values of a journal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::folder::make_folder;
use crate::values::{StoredRecord, ValueReference, hash};
use crate::{JournalError, Record, line};

/// The folder `NAME-values` beside the journal `NAME`. Each value is a file with the hash of its content as its name.
#[derive(Debug)]
pub(super) struct ValueFolder(PathBuf);

impl ValueFolder {
    /// Returns the folder of a journal. It is created together with its first value.
    pub(super) fn for_journal(journal: &Path) -> Self {
        let mut name = journal.file_name().unwrap_or_default().to_os_string();
        name.push("-values");
        Self(journal.with_file_name(name))
    }

    /// Returns the line of a record, whose large values have been stored.
    pub(super) fn encode_line(&self, record: Record) -> Result<Vec<u8>, JournalError> {
        let stored = StoredRecord::split(record, |reference, value| self.store(reference, value))?;
        line::encode(&stored).map_err(|source| JournalError::Encode { source })
    }

    /// Stores a value durably, so that the record that refers to it can follow. A file that already has this content
    /// is kept, and a changed one is replaced.
    fn store(&self, reference: &ValueReference, value: &[u8]) -> Result<(), JournalError> {
        let path = self.0.join(&reference.sha256);
        if self.load(reference).is_ok() {
            return Ok(());
        }
        self.write(&path, value).map_err(|source| JournalError::Io { path, doing: "written", source })
    }

    /// Writes a file under another name and renames it, so that no crash leaves a part of it under its own name.
    fn write(&self, path: &Path, value: &[u8]) -> io::Result<()> {
        make_folder(&self.0)?;
        let temporary = path.with_extension("part");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary)?;
        file.write_all(value)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        File::open(&self.0)?.sync_all()?;
        match self.0.parent() {
            Some(parent) => File::open(parent)?.sync_all(),
            None => Ok(()),
        }
    }

    /// Returns a value whose content has the hash of the reference.
    pub(super) fn load(&self, reference: &ValueReference) -> Result<Vec<u8>, JournalError> {
        // A checksum protects the hash in the journal, but a file of a stranger can contain any text.
        let is_hash =
            reference.sha256.len() == 64 && reference.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.0.join(if is_hash { reference.sha256.as_str() } else { "not-a-hash" });
        let len = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) => return Err(JournalError::ValueMissing { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JournalError::ValueMissing { path });
            }
            Err(source) => return Err(JournalError::Io { path, doing: "read", source }),
        };
        // The size is compared first, so a file that has grown is not read.
        if len != reference.len {
            return Err(JournalError::ValueChanged { path });
        }
        match fs::read(&path) {
            Ok(value) if hash(&value) == reference.sha256 => Ok(value),
            Ok(_) => Err(JournalError::ValueChanged { path }),
            Err(source) => Err(JournalError::Io { path, doing: "read", source }),
        }
    }
}

#[cfg(test)]
mod tests;
