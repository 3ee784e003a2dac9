//! The store of sessions in a database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_store::{SessionRecords, SessionRow};

use super::SessionStore;
use super::folder::FolderSessions;
use crate::app::App;
use crate::error::Result;
use crate::sessions::counts::SessionCounts;
use crate::sessions::page::SessionPlace;
use crate::sessions::record::{SessionRecord, SessionState};

/// Number of runs without a session that one search returns at most.
const MAX_UNKNOWN: u32 = 10_000;

/// Store of sessions in a database. A page reads its rows. A list of all sessions reads the changes since the last one,
/// and the records before come from memory.
#[derive(Debug)]
pub(crate) struct DatabaseSessions {
    records: Arc<dyn SessionRecords>,
    cache: Mutex<Cache>,
    /// The runs whose session this process has stored.
    assigned: Mutex<BTreeSet<String>>,
}

/// The records until a change.
#[derive(Debug, Default)]
struct Cache {
    version: u64,
    records: BTreeMap<String, SessionRecord>,
}

impl DatabaseSessions {
    pub(crate) fn new(records: Arc<dyn SessionRecords>) -> Self {
        Self { records, cache: Mutex::default(), assigned: Mutex::default() }
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

    /// Stores the session of a run, once.
    fn assign(&self, run: &str, session: &str) -> Result<()> {
        let mut assigned = self.assigned.lock().unwrap_or_else(PoisonError::into_inner);
        if !assigned.contains(run) {
            self.records.assign_run(run, session)?;
            assigned.insert(run.to_owned());
        }
        Ok(())
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
        let row = SessionRow::new(&record.id, record.updated_ms, text.parse()?);
        let questions = u64::try_from(record.open_questions).unwrap_or(u64::MAX);
        self.records.put_session(&row.with_state(record.state.as_str(), record.is_open(), questions))?;
        record.runs.iter().try_for_each(|run| self.assign(&run.id, &record.id))
    }

    fn get(&self, id: &str) -> Result<Option<SessionRecord>> {
        let record = self.records.read_session(id)?;
        Ok(record.and_then(|record| serde_json::from_str(record.as_str()).ok()))
    }

    fn list(&self) -> Result<Vec<SessionRecord>> {
        self.read(|cache| cache.records.values().cloned().collect())
    }

    fn remove(&self, id: &str) -> Result<()> {
        self.records.remove_session(id)?;
        Ok(())
    }

    fn page(&self, after: Option<&SessionPlace>, limit: usize) -> Result<Vec<SessionRecord>> {
        let mut place = after.cloned();
        let mut records: Vec<SessionRecord> = Vec::new();
        loop {
            let missing = u32::try_from(limit.saturating_sub(records.len())).unwrap_or(u32::MAX);
            let after = place.as_ref().map(|place| (place.changed_ms, place.id.as_str()));
            let rows = self.records.read_sessions(after, missing)?;
            let is_last = rows.len() < missing as usize;
            for row in rows {
                // A record that a later version wrote is left out.
                records.extend(serde_json::from_str::<SessionRecord>(row.record.as_str()));
                place = Some(SessionPlace { changed_ms: row.changed_ms, id: row.id });
            }
            if is_last || records.len() >= limit {
                return Ok(records);
            }
        }
    }

    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<SessionRecord>> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        Ok(decode(&self.records.find_sessions(prefix, limit)?))
    }

    fn open(&self) -> Result<Vec<SessionRecord>> {
        Ok(decode(&self.records.read_open_sessions()?))
    }

    fn counts(&self) -> Result<SessionCounts> {
        let mut counts = SessionCounts::default();
        let number = |count| usize::try_from(count).unwrap_or(usize::MAX);
        for count in self.records.count_states()? {
            // A record that a later version wrote is left out.
            if let Some(state) = SessionState::from_name(&count.state) {
                counts.add(state, number(count.sessions), number(count.open_questions));
            }
        }
        Ok(counts)
    }

    fn count(&self) -> Result<usize> {
        Ok(usize::try_from(self.records.count_sessions()?).unwrap_or(usize::MAX))
    }

    fn find_unknown_runs(&self, _: &App) -> Result<Vec<String>> {
        let mut runs = self.records.list_unassigned_runs(MAX_UNKNOWN)?;
        if runs.is_empty() {
            return Ok(runs);
        }
        // An earlier version stored sessions without noting the session of a run.
        let sessions: BTreeMap<String, String> = self.read(|cache| {
            let pairs =
                cache.records.values().flat_map(|record| record.runs.iter().map(|run| (&run.id, &record.id)));
            pairs.map(|(run, session)| (run.clone(), session.clone())).collect()
        })?;
        for run in &runs {
            if let Some(session) = sessions.get(run) {
                self.assign(run, session)?;
            }
        }
        runs.retain(|run| !sessions.contains_key(run));
        Ok(runs)
    }

    fn skip_run(&self, run: &str) -> Result<()> {
        self.assign(run, "")
    }
}

/// Reads the records of rows. A record that a later version wrote is left out.
fn decode(rows: &[SessionRow]) -> Vec<SessionRecord> {
    rows.iter().filter_map(|row| serde_json::from_str(row.record.as_str()).ok()).collect()
}
