//! Journals by key, for each piece of work that keeps its own record inside a run.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_protocol::RawJson;

use crate::{Durability, FileJournal, Journal, JournalError, MemoryJournal, Record};

/// A collection of journals for work inside a run, each under a key such as `RUN/CALL`. A key always selects
/// the same journal; with [`FileJournals`] it does so in later processes too. The journal of a new key is
/// empty.
///
/// ```
/// use windlass_journal::{Durability, Journal, Journals, MemoryJournals};
/// let journals = MemoryJournals::default();
/// journals.open("run-1/call_1")?.append("1".parse()?, 0, Durability::Synced)?;
/// assert_eq!(journals.open("run-1/call_1")?.records()?.len(), 1);
/// assert!(journals.open("run-1/call_2")?.records()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Journals: Send + Sync {
    /// Opens the journal of a key, and creates it if necessary.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be created or opened, for example because another process has
    /// locked it.
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError>;

    /// Opens the journal of a key if it exists; returns `None` otherwise and creates nothing. Use it for keys
    /// that can come from a model. The default implementation always opens the journal.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be opened.
    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.open(key).map(Some)
    }
}

/// A collection of journals in memory, which ends with the process. Clones share the journals.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournals {
    kept: Arc<Mutex<BTreeMap<String, SharedJournal>>>,
}

/// A shared handle to a journal in memory.
#[derive(Clone, Debug, Default)]
struct SharedJournal(Arc<Mutex<MemoryJournal>>);

impl MemoryJournals {
    /// Returns the keys of all opened journals, sorted.
    pub fn keys(&self) -> Vec<String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

impl Journals for MemoryJournals {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Box::new(kept.entry(key.to_owned()).or_default().clone()))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(key).map(|journal| Box::new(journal.clone()) as Box<dyn Journal + Send>))
    }
}

impl Journal for SharedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, durability: Durability) -> Result<u64, JournalError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).append(body, at_ms, durability)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).records()
    }
}

/// A collection of journals in a folder. Each part of a key is a folder, or several for a long part, and the
/// last folder contains the file `journal`.
#[derive(Clone, Debug)]
pub struct FileJournals {
    folder: PathBuf,
}

impl FileJournals {
    /// Creates a collection below a folder. The folder is created together with the first journal.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the path of a key's journal, which need not exist.
    pub fn path(&self, key: &str) -> PathBuf {
        let parts = key.split('/').flat_map(folders);
        let folder = parts.fold(self.folder.clone(), |folder, part| folder.join(part));
        folder.join("journal")
    }
}

impl Journals for FileJournals {
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError> {
        let path = self.path(key);
        let journal = if path.exists() { FileJournal::open(path)?.0 } else { FileJournal::create(path)? };
        Ok(Box::new(journal))
    }

    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        if self.path(key).exists() { self.open(key).map(Some) } else { Ok(None) }
    }
}

/// The length in bytes at which a folder name is split; most file systems allow 255.
const LONGEST: usize = 200;

/// Encodes a part of a key as folder names. Keys contain ids of providers, which can have any length and any
/// characters. Two keys never get the same path, and a folder never has the name of the journal file.
fn folders(part: &str) -> Vec<String> {
    let mut names = vec![String::from("c-")];
    for byte in part.bytes() {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let text = if plain { char::from(byte).to_string() } else { format!("%{byte:02x}") };
        match names.last_mut() {
            Some(name) if name.len() < LONGEST => name.push_str(&text),
            _ => names.push(format!("d-{text}")),
        }
    }
    names
}
