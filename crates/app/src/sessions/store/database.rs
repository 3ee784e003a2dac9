//! The store of sessions in a database.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_store::SessionRecords;

use super::SessionStore;
use super::folder::FolderSessions;
use crate::error::Result;
use crate::sessions::record::SessionRecord;

/// Store of sessions in a database. A list reads the changes since the last one, and the records before come from
/// memory.
#[derive(Debug)]
pub(crate) struct DatabaseSessions {
    records: Arc<dyn SessionRecords>,
    cache: Mutex<Cache>,
}

/// The records until a change.
#[derive(Debug, Default)]
struct Cache {
    version: u64,
    records: BTreeMap<String, SessionRecord>,
}

impl DatabaseSessions {
    pub(crate) fn new(records: Arc<dyn SessionRecords>) -> Self {
        Self { records, cache: Mutex::default() }
    }

    /// Copies the records of a folder that the database does not have, and renames the file: an earlier version had the
    /// sessions of a database in a folder of each machine.
    ///
    /// # Errors
    ///
    /// Fails if one of the stores cannot be read or written.
    pub(crate) fn import(&self, earlier: &FolderSessions) -> Result<()> {
        for record in earlier.list()? {
            if self.get(&record.id)?.is_none() {
                self.save(&record)?;
            }
        }
        earlier.set_aside()
    }

    fn lock_cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the changes since the last read, and returns what `select` chooses. A record that cannot be read, because
    /// a later version wrote it, is left out.
    fn read<T>(&self, select: impl FnOnce(&Cache) -> T) -> Result<T> {
        let mut cache = self.lock_cache();
        for change in self.records.read_session_changes(cache.version)? {
            cache.version = change.version;
            match change.record.map(|record| serde_json::from_str(record.as_str())) {
                Some(Ok(record)) => drop(cache.records.insert(change.id, record)),
                Some(Err(_)) | None => drop(cache.records.remove(&change.id)),
            }
        }
        Ok(select(&cache))
    }
}

impl SessionStore for DatabaseSessions {
    fn save(&self, record: &SessionRecord) -> Result<()> {
        let text = serde_json::to_string(record)?;
        self.records.put_session(&record.id, Some(&text.parse()?))?;
        Ok(())
    }

    fn get(&self, id: &str) -> Result<Option<SessionRecord>> {
        self.read(|cache| cache.records.get(id).cloned())
    }

    fn list(&self) -> Result<Vec<SessionRecord>> {
        self.read(|cache| cache.records.values().cloned().collect())
    }

    fn remove(&self, id: &str) -> Result<()> {
        self.records.put_session(id, None)?;
        Ok(())
    }
}
