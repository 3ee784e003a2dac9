//! The contract of a store of sessions, and the stores in a folder and in a database.

mod database;
mod folder;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::counts::SessionCounts;
use super::page::SessionPlace;
use super::record::SessionRecord;
use crate::app::App;
use crate::error::Result;

use self::database::DatabaseSessions;
pub(crate) use self::folder::FolderLock;
use self::folder::FolderSessions;

/// Store of sessions: their records by id. All functions block. Several processes use a store at once.
///
/// The runs of a session, with their journals and feeds, are in the store of runs.
pub trait SessionStore: fmt::Debug + Send + Sync {
    /// Stores a record, and replaces the one with the same id.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn save(&self, record: &SessionRecord) -> Result<()>;

    /// Returns the record with an id, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn get(&self, id: &str) -> Result<Option<SessionRecord>>;

    /// Returns all records in the order of their ids, the oldest session first.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn list(&self) -> Result<Vec<SessionRecord>>;

    /// Removes the record with an id. A missing one is not an error.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn remove(&self, id: &str) -> Result<()>;

    /// Returns up to `limit` records after a place, in descending order of the last change and the id. Without another
    /// implementation it reads all records.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn page(&self, after: Option<&SessionPlace>, limit: usize) -> Result<Vec<SessionRecord>> {
        let mut records = self.list()?;
        records.retain(|record| after.is_none_or(|after| SessionPlace::from(record) < *after));
        records.sort_by_key(|record| std::cmp::Reverse(SessionPlace::from(record)));
        records.truncate(limit);
        Ok(records)
    }

    /// Returns up to `limit` records whose id, or the id of one of whose runs, begins with a text, in the order of their
    /// ids. Without another implementation it reads all records.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn find(&self, prefix: &str, limit: usize) -> Result<Vec<SessionRecord>> {
        let mut records = self.list()?;
        records.retain(|record| {
            record.id.starts_with(prefix) || record.runs.iter().any(|run| run.id.starts_with(prefix))
        });
        records.truncate(limit);
        Ok(records)
    }

    /// Returns the records of sessions on which a process works or which have open questions, in the order of their ids.
    /// Without another implementation it reads all records.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn open(&self) -> Result<Vec<SessionRecord>> {
        let mut records = self.list()?;
        records.retain(SessionRecord::is_open);
        Ok(records)
    }

    /// Returns the numbers of records by state. Without another implementation it reads all records.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn counts(&self) -> Result<SessionCounts> {
        let mut counts = SessionCounts::default();
        for record in self.list()? {
            counts.add(record.state, 1, record.open_questions);
        }
        Ok(counts)
    }

    /// Returns the number of records.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    fn count(&self) -> Result<usize> {
        Ok(self.list()?.len())
    }

    /// Returns the ids of the handle's runs that belong to no record, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the store or the runs cannot be read.
    fn find_unknown_runs(&self, app: &App) -> Result<Vec<String>> {
        let records = self.list()?;
        let known: HashSet<&str> =
            records.iter().flat_map(|record| &record.runs).map(|run| run.id.as_str()).collect();
        Ok(app.run_ids()?.into_iter().filter(|run| !known.contains(run.as_str())).collect())
    }

    /// Notes that a run is not a session, so [`find_unknown_runs`](Self::find_unknown_runs) may leave it out.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    fn skip_run(&self, run: &str) -> Result<()> {
        let _ = run;
        Ok(())
    }
}

/// Opens the store of the sessions of a handle.
pub(crate) fn open_sessions(app: &App) -> Result<Arc<dyn SessionStore>> {
    let folder = app.sessions_folder();
    let Some(records) = app.store().database().and_then(|database| database.sessions()) else {
        return Ok(Arc::new(FolderSessions::new(folder?)));
    };
    let sessions = DatabaseSessions::new(records);
    if let Ok(folder) = folder {
        sessions.import(&FolderSessions::new(folder))?;
    }
    Ok(Arc::new(sessions))
}

#[cfg(test)]
mod tests;
