//! A journal in a file, and appends to it.

mod creation;
mod folder;
pub(crate) mod recovery;
mod value_folder;

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use windlass_protocol::RawJson;

use self::value_folder::ValueFolder;
use crate::{Durability, Journal, JournalError, Record};

/// A journal in a file with one record per line. Each line has a checksum. A lock on the file ensures that
/// only one process appends.
///
/// A crash can cut the last line or leave zeros at the end of the file. Both are dropped when the file is
/// opened again. Every other line that does not match its checksum is an error, including the last one: a
/// line with a line feed was written completely, so the recorded call may have run, and a dropped record
/// would let the call run again (RULES R6).
///
/// A string of 64 KiB and more is a file in the folder `NAME-values` beside the journal `NAME`, under its SHA-256.
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    file: File,
    next_seq: u64,
}

impl FileJournal {
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
        let line = ValueFolder::for_journal(&self.path).encode_line(Record::new(seq, at_ms, body))?;
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

#[cfg(test)]
mod tests;
