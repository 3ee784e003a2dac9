//! The contract of the records of sessions.

use std::fmt;

use windlass_protocol::RawJson;

use crate::StoreError;

/// The records of sessions beside the runs of a store. A record is the writer's own JSON.
///
/// Each change has a number, which increases without end. A reader that keeps the records in memory asks only for the
/// changes after the number that it has seen, so the list of many sessions costs one statement. All functions block.
///
/// ```
/// use windlass_store::{MemoryStore, Store};
///
/// let sessions = MemoryStore::default().sessions().expect("a store in memory has sessions");
/// let first = sessions.put_session("s-1", Some(&r#"{"name":"a"}"#.parse()?))?;
/// sessions.put_session("s-2", Some(&"{}".parse()?))?;
/// let changes = sessions.read_session_changes(first)?;
/// assert_eq!(changes.iter().map(|change| change.id.as_str()).collect::<Vec<_>>(), ["s-2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SessionRecords: fmt::Debug + Send + Sync {
    /// Stores the record of a session and replaces an earlier one, or removes it. Returns the number of the change.
    ///
    /// # Errors
    /// Returns an error if the id is not a plain name or the store cannot be written.
    fn put_session(&self, id: &str, record: Option<&RawJson>) -> Result<u64, StoreError>;

    /// Returns the changes after a number in ascending order, the newest one of each session. Zero returns all
    /// sessions that exist.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError>;
}

/// The newest change of the record of a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionChange {
    /// Number of the change.
    pub version: u64,
    /// Id of the session.
    pub id: String,
    /// The record, or `None` if it was removed.
    pub record: Option<RawJson>,
}

impl SessionChange {
    pub(crate) fn new(version: u64, id: String, record: Option<RawJson>) -> Self {
        Self { version, id, record }
    }
}
