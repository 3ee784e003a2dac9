//! The contract of the records of sessions.

use std::fmt;

use windlass_protocol::RawJson;

use crate::StoreError;

/// The records of sessions beside the runs of a store. A record is the writer's own JSON.
///
/// A page of sessions, the one that changed last first, costs the rows of the page; the open sessions and a search by the
/// beginning of an id cost their own rows. Each change also has a number, which
/// increases without end, so a reader that keeps all records in memory asks only for the changes after the number that
/// it has seen. The store also knows the session of each run, and returns the runs without one. All functions block.
///
/// ```
/// use windlass_store::{MemoryStore, SessionRow, Store};
///
/// let sessions = MemoryStore::default().sessions().expect("a store in memory has sessions");
/// let first = sessions.put_session(&SessionRow::new("s-1", 10, r#"{"name":"a"}"#.parse()?))?;
/// sessions.put_session(&SessionRow::new("s-2", 20, "{}".parse()?))?;
/// let changes = sessions.read_session_changes(first)?;
/// assert_eq!(changes.iter().map(|change| change.id.as_str()).collect::<Vec<_>>(), ["s-2"]);
/// let page = sessions.read_sessions(None, 1)?;
/// assert_eq!(page[0].id, "s-2");
/// assert_eq!(sessions.read_sessions(Some((20, "s-2")), 1)?[0].id, "s-1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SessionRecords: fmt::Debug + Send + Sync {
    /// Stores the record of a session and replaces an earlier one. Returns the number of the change.
    ///
    /// # Errors
    /// Returns an error if the id is not a plain name or the store cannot be written.
    fn put_session(&self, row: &SessionRow) -> Result<u64, StoreError>;

    /// Removes the record of a session. A missing one is not an error. Returns the number of the change.
    ///
    /// # Errors
    /// Returns an error if the id is not a plain name or the store cannot be written.
    fn remove_session(&self, id: &str) -> Result<u64, StoreError>;

    /// Returns the record of a session, or `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn read_session(&self, id: &str) -> Result<Option<RawJson>, StoreError>;

    /// Returns up to `limit` sessions in descending order of the last change and the id, after the last change and the
    /// id of the session that ended the page before.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn read_sessions(&self, after: Option<(u64, &str)>, limit: u32) -> Result<Vec<SessionRow>, StoreError>;

    /// Returns up to `limit` sessions whose id, or the id of one of whose runs, begins with a text, in ascending order of
    /// their ids.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn find_sessions(&self, prefix: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError>;

    /// Returns the sessions that were stored as open, in ascending order of their ids.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn read_open_sessions(&self) -> Result<Vec<SessionRow>, StoreError>;

    /// Returns the numbers of sessions and of their open questions by state.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn count_states(&self) -> Result<Vec<StateCount>, StoreError>;

    /// Returns the number of sessions.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn count_sessions(&self) -> Result<u64, StoreError>;

    /// Returns the changes after a number in ascending order, the newest one of each session. Zero returns all
    /// sessions that exist.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError>;

    /// Stores the session of a run. The empty text marks a run that does not belong to a session. A missing run is not
    /// an error.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn assign_run(&self, run: &str, session: &str) -> Result<(), StoreError>;

    /// Returns up to `limit` ids of runs for which no session was stored, in ascending order.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn list_unassigned_runs(&self, limit: u32) -> Result<Vec<String>, StoreError>;
}

/// The record of a session, with its place in the list of sessions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionRow {
    /// Id of the session.
    pub id: String,
    /// Time of the last change, in milliseconds since 1970.
    pub changed_ms: u64,
    /// The record.
    pub record: RawJson,
    /// The name of the state, in the writer's words.
    pub state: String,
    /// True if the session needs attention: a process works on it, or a question is open.
    pub is_open: bool,
    /// Number of open questions.
    pub open_questions: u64,
}

impl SessionRow {
    /// Creates a row without a state.
    pub fn new(id: impl Into<String>, changed_ms: u64, record: RawJson) -> Self {
        let state = String::new();
        Self { id: id.into(), changed_ms, record, state, is_open: false, open_questions: 0 }
    }

    /// Sets the state.
    pub fn with_state(mut self, state: impl Into<String>, is_open: bool, open_questions: u64) -> Self {
        (self.state, self.is_open, self.open_questions) = (state.into(), is_open, open_questions);
        self
    }
}

/// The sessions in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateCount {
    /// The name of the state.
    pub state: String,
    /// Number of the sessions.
    pub sessions: u64,
    /// Number of their open questions.
    pub open_questions: u64,
}

impl StateCount {
    pub(crate) fn new(state: String, sessions: u64, open_questions: u64) -> Self {
        Self { state, sessions, open_questions }
    }
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
