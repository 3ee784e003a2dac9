//! The contract of a store of sessions, and the stores in a folder and in a database.

mod database;
mod folder;

use std::fmt;
use std::sync::Arc;

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
