//! An open index. It is created if it is missing, and rebuilt if it is damaged or of another version.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::thread;
use std::time::{Duration, SystemTime};

use tantivy::collector::DocSetCollector;
use tantivy::directory::MmapDirectory;
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term};

use super::fields::{Fields, IS_FILE, Stamp};
use super::folder::Folder;
use super::watch::Watch;
use crate::place::{Stopped, now};

/// Maximum wait for another process that holds the lock.
const MAX_WAIT: Duration = Duration::from_secs(5);
const WAIT_STEP: Duration = Duration::from_millis(50);

/// Reason why an index cannot be used.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The index is damaged and must be rebuilt.
    Broken(String),
    /// Another process is building the index.
    Busy,
    /// The folder cannot be used.
    Folder(io::Error),
}

impl From<TantivyError> for Trouble {
    fn from(error: TantivyError) -> Self {
        match error {
            TantivyError::IoError(error) if !is_of_content(&error) => {
                Self::Folder(io::Error::new(error.kind(), error.to_string()))
            }
            error => Self::Broken(error.to_string()),
        }
    }
}

impl Trouble {
    /// Classifies a failed write. Earlier commits are intact unless the error is about the index content.
    pub(super) fn classify_write(error: TantivyError) -> Self {
        match error {
            TantivyError::DataCorruption(_) | TantivyError::IncompatibleIndex(_) => {
                Self::Broken(error.to_string())
            }
            error => Self::Folder(io::Error::other(error.to_string())),
        }
    }
}

/// Returns true if a failed read is due to the content of the index. A full disk, too many open files or
/// missing permissions do not imply a damaged index.
fn is_of_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
    matches!(error.kind(), NotFound | InvalidData | InvalidInput | UnexpectedEof)
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

/// An open index, with the stamps of the indexed files.
pub(super) struct Store {
    pub(super) index: Index,
    pub(super) fields: Fields,
    pub(super) known: HashMap<String, Stamp>,
    /// Result of the last complete walk.
    pub(super) watch: Option<Watch>,
    /// Reason for a rebuild, until it has been reported.
    pub(super) made: Option<&'static str>,
    reader: IndexReader,
    opstamp: Option<u64>,
    /// Creation time, which differs if another process rebuilds the index.
    created_at: Option<SystemTime>,
}

impl Store {
    /// Opens the index. Rebuilds it if it cannot be used, and sets [`Self::made`] to the reason.
    pub(super) fn open(folder: &Folder, stopped: Stopped<'_>) -> Result<Self, Trouble> {
        let reason = if !folder.exists() {
            None
        } else if !folder.is_own() {
            Some("the index was of another version and is made anew")
        } else {
            match Self::open_existing(folder) {
                Ok(store) => return Ok(store),
                Err(_) => Some("the index was broken and is made anew"),
            }
        };
        let _lock = wait_for_lock(folder, stopped)?.ok_or(Trouble::Busy)?;
        // The previous holder of the lock may have rebuilt the index.
        if folder.is_own()
            && let Ok(store) = Self::open_existing(folder)
        {
            return Ok(store);
        }
        Self::make(folder, reason)
    }

    /// Rebuilds the index after it turned out to be damaged. If another process has rebuilt it meanwhile,
    /// opens that one.
    pub(super) fn remake(
        folder: &Folder,
        broken: Option<&Self>,
        reason: Option<&'static str>,
        stopped: Stopped<'_>,
    ) -> Result<Self, Trouble> {
        let _lock = wait_for_lock(folder, stopped)?.ok_or(Trouble::Busy)?;
        if folder.creation_time() != broken.and_then(|broken| broken.created_at)
            && folder.is_own()
            && let Ok(store) = Self::open_existing(folder)
        {
            return Ok(store);
        }
        Self::make(folder, reason)
    }

    /// The caller must hold the lock.
    fn make(folder: &Folder, reason: Option<&'static str>) -> Result<Self, Trouble> {
        folder.clear()?;
        let (schema, fields) = Fields::new();
        let index = Index::create_in_dir(folder.index(), schema)?;
        folder.sign()?;
        Ok(Self { made: reason, created_at: folder.creation_time(), ..Self::new(index, fields)? })
    }

    fn open_existing(folder: &Folder) -> Result<Self, Trouble> {
        let (schema, fields) = Fields::new();
        // Read the time first: if the index is replaced meanwhile, its time is later than the recorded one.
        let created_at = folder.creation_time();
        let directory = MmapDirectory::open(folder.index()).map_err(TantivyError::from)?;
        let index = Index::open(directory)?;
        if index.schema() != schema {
            return Err(Trouble::Broken("it has other fields".to_owned()));
        }
        let broken = index.validate_checksum()?;
        if !broken.is_empty() {
            return Err(Trouble::Broken(format!(
                "{} of its files are not as they were written",
                broken.len()
            )));
        }
        let mut store = Self { created_at, ..Self::new(index, fields)? };
        store.reload()?;
        Ok(store)
    }

    fn new(index: Index, fields: Fields) -> Result<Self, Trouble> {
        Fields::register(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self {
            index,
            fields,
            known: HashMap::new(),
            watch: None,
            made: None,
            reader,
            opstamp: None,
            created_at: None,
        })
    }

    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Loads the last commit of any process.
    pub(super) fn reload(&mut self) -> Result<(), Trouble> {
        let opstamp = self.index.load_metas()?.opstamp;
        if self.opstamp == Some(opstamp) {
            return Ok(());
        }
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        let files =
            TermQuery::new(Term::from_field_text(self.fields.marker, IS_FILE), IndexRecordOption::Basic);
        self.known.clear();
        for address in searcher.search(&files, &DocSetCollector)? {
            let document: TantivyDocument = searcher.doc(address)?;
            let number =
                |field| document.get_first(field).and_then(|value| value.as_u64()).unwrap_or_default();
            let stamp = Stamp {
                modified: number(self.fields.modified),
                len: number(self.fields.len),
                changed: number(self.fields.changed),
                inode: number(self.fields.inode),
            };
            if let Some(file) = document.get_first(self.fields.file).and_then(|value| value.as_str()) {
                self.known.insert(file.to_owned(), stamp);
            }
        }
        self.opstamp = Some(opstamp);
        Ok(())
    }
}

/// Waits for the lock. Returns `None` on a timeout or if the call was cancelled.
pub(super) fn wait_for_lock(folder: &Folder, stopped: Stopped<'_>) -> Result<Option<File>, Trouble> {
    let begin = now();
    loop {
        if let Some(lock) = folder.lock()? {
            return Ok(Some(lock));
        }
        if begin.elapsed() > MAX_WAIT || stopped() {
            return Ok(None);
        }
        thread::sleep(WAIT_STEP);
    }
}

#[cfg(test)]
mod tests;
