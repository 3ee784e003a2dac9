//! Journals by name: one for each piece of work that keeps its own record inside another's.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_protocol::RawJson;

use crate::{Durability, FileJournal, Journal, JournalError, MemoryJournal, Record};

/// Where the journals of work inside a run are kept, each under a key as `RUN/CALL`. The same key gives the same journal,
/// in this process or a later one; one that was never opened is empty.
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
    /// The journal of a key, to go on with.
    ///
    /// # Errors
    /// If it cannot be made or opened, as when another process writes it.
    fn open(&self, key: &str) -> Result<Box<dyn Journal + Send>, JournalError>;

    /// The journal of a key that may come from a model; `None` if it was never opened, and then nothing is made. Without an
    /// implementation of its own this opens the journal.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn find(&self, key: &str) -> Result<Option<Box<dyn Journal + Send>>, JournalError> {
        self.open(key).map(Some)
    }
}

/// Journals that end with the process. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournals {
    kept: Arc<Mutex<BTreeMap<String, SharedJournal>>>,
}

/// A journal in memory that others have too.
#[derive(Clone, Debug, Default)]
struct SharedJournal(Arc<Mutex<MemoryJournal>>);

impl MemoryJournals {
    /// The keys that were opened, sorted.
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

/// Journals in a folder: a folder for each part of a key, and in the last of them the file `journal`.
#[derive(Clone, Debug)]
pub struct FileJournals {
    folder: PathBuf,
}

impl FileJournals {
    /// Journals below a folder, which is made when the first is opened.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the journal of a key is, or would be.
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

/// The longest name of a folder here, in bytes; file systems take 255.
const LONGEST: usize = 200;

/// A part of a key as names of folders: ids come from providers, who may write anything of any length. Two keys never get
/// one path, and no folder has the name of the journal itself.
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
