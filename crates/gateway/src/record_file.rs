//! Files in which a gateway keeps records over a restart.

mod journal;
mod lines;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use journal::Journal;

/// The reason why a file of records cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordFileError {
    /// Another process, or another server of this process, writes the file. Two writers would not see each other's records.
    #[error("another gateway uses the file")]
    InUse,
    /// The file has a later version or records of another kind.
    #[error("the file has {0}, which this version does not read")]
    Unknown(String),
    /// The file cannot be read, created or written.
    #[error("the file cannot be used")]
    Failed(#[from] io::Error),
}

/// A file in which a server keeps records: the use of budgets, or the ids of stored responses. Returned by
/// [`Front::keep_usage`](crate::Front::keep_usage) and [`Front::keep_stored_ids`](crate::Front::keep_stored_ids).
///
/// Each change is appended and handed to the operating system before its request continues, so a killed process loses
/// nothing. A crash of the operating system can lose the last changes. A file that has twice as many lines as records is
/// replaced as a whole. The file belongs to one server at a time, and only its user can read it.
#[derive(Clone, Debug)]
pub struct RecordFile(Arc<FileState>);

#[derive(Debug)]
struct FileState {
    path: PathBuf,
    damaged: AtomicUsize,
    failures: AtomicU64,
    /// True if requests continue whose changes cannot be written.
    is_optional: AtomicBool,
}

impl RecordFile {
    fn new(path: &Path) -> Self {
        let (damaged, failures) = (AtomicUsize::new(0), AtomicU64::new(0));
        let is_optional = AtomicBool::new(false);
        Self(Arc::new(FileState { path: path.to_owned(), damaged, failures, is_optional }))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the number of damaged lines in the file when it was opened. They were left out, and a copy of the file is in
    /// [`backup_path`](Self::backup_path). An incomplete last line, which a killed process can leave, does not count.
    pub fn count_damaged_lines(&self) -> usize {
        self.0.damaged.load(Ordering::Relaxed)
    }

    /// Returns the path for the copy of a damaged file: the path with `.damaged` appended.
    pub fn backup_path(&self) -> PathBuf {
        append_suffix(&self.0.path, ".damaged")
    }

    /// Answers requests whose use of a budget cannot be written, on a full disk for example: their budget holds in this process
    /// only, and a restart grants it again. Without a call of this method such requests are refused with status 503.
    ///
    /// The ids of stored responses are written when their answer is complete, which is never refused.
    pub fn answer_unrecorded(&self) {
        self.0.is_optional.store(true, Ordering::Relaxed);
    }

    /// Returns the number of writes that failed. The next successful write replaces the file by one with all present records.
    pub fn failures(&self) -> u64 {
        self.0.failures.load(Ordering::Relaxed)
    }

    fn is_optional(&self) -> bool {
        self.0.is_optional.load(Ordering::Relaxed)
    }

    fn set_damaged(&self, lines: usize) {
        self.0.damaged.store(lines, Ordering::Relaxed);
    }

    fn count_failure(&self) {
        self.0.failures.fetch_add(1, Ordering::Relaxed);
    }
}

/// Records that a file can keep. Later records replace earlier ones.
pub(crate) trait Records {
    /// The name and version of the records in the first line of a file.
    const KIND: &'static str;

    type Record: Serialize + DeserializeOwned;

    /// Applies a record of the file.
    fn apply(&mut self, record: Self::Record);

    /// Returns records that produce the present state.
    fn list(&self) -> impl Iterator<Item = Self::Record>;

    /// Returns the number of records that [`list`](Self::list) returns at most.
    fn count(&self) -> usize;

    /// Reads a file of a version that had no first line.
    fn read_headless(_text: &[u8]) -> Option<Vec<Self::Record>> {
        None
    }
}

/// Records, and the file that keeps them, if there is one.
#[derive(Debug, Default)]
pub(crate) struct RecordKeeper<R> {
    pub(crate) records: R,
    journal: Option<Journal>,
}

impl<R: Records> RecordKeeper<R> {
    /// Reads a file and keeps the records in it from now on.
    pub(crate) fn open(&mut self, path: &Path) -> Result<RecordFile, RecordFileError> {
        let journal = Journal::open(path, &mut self.records)?;
        let file = journal.file();
        self.journal = Some(journal);
        Ok(file)
    }

    /// Stores a change that is part of the records already. Returns false if the file needs the change and does not have it.
    pub(crate) fn store(&mut self, change: impl FnOnce() -> R::Record) -> bool {
        let Some(journal) = &mut self.journal else { return true };
        journal.append(&change(), &self.records) || journal.file().is_optional()
    }
}

fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

#[cfg(test)]
mod tests;
