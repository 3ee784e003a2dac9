//! The sessions of a user: list, find, rename, delete and prune.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::found::{find_session, refresh};
use super::record::{RunEntry, SessionRecord, SessionState};
use super::store::{SessionStore, open_sessions};
use crate::app::App;
use crate::error::{ErrorKind, Result, bail, ensure};
use crate::feed::FeedEvent;
use crate::runs::{RunFolder, read_run};

/// Name that means the session that changed last.
const LAST: &str = "last";

/// Largest difference of the clocks of machines that share a database, in seconds.
const CLOCK_SKEW_SECONDS: u64 = 24 * 60 * 60;

/// Sessions of a user. Runs that older versions or other commands started are shown as sessions with one run.
///
/// ```
/// use windlass_app::sessions::Sessions;
/// use windlass_app::{App, Folders};
///
/// let folder = tempfile::tempdir()?;
/// let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
/// let sessions = Sessions::new(&app)?;
/// assert!(sessions.list()?.is_empty());
/// assert!(sessions.find("last").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sessions {
    app: App,
    store: Arc<dyn SessionStore>,
    /// The start of the newest run when the last list was made, in seconds since 1970; 0 before the first list.
    newest: Arc<AtomicU64>,
}

/// Selection of the sessions that [`Sessions::prune`] deletes. A session that works or waits for an answer is never
/// deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prune {
    /// Deletes sessions that have not changed for this time in milliseconds.
    pub older_than_ms: Option<u64>,
    /// Deletes the oldest sessions until the run folders of all sessions need at most this number of bytes.
    pub max_bytes: Option<u64>,
    /// Only reports the sessions.
    pub is_dry_run: bool,
}

impl Sessions {
    /// Opens the sessions of the handle's store of runs.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn new(app: &App) -> Result<Self> {
        Ok(Self { store: open_sessions(app)?, app: app.clone(), newest: Arc::default() })
    }

    /// Opens sessions in another store. The runs stay in the handle's store of runs.
    pub fn with_store(app: &App, store: impl SessionStore + 'static) -> Self {
        Self { app: app.clone(), store: Arc::new(store), newest: Arc::default() }
    }

    /// Returns the application whose sessions these are.
    pub fn app(&self) -> &App {
        &self.app
    }

    pub(crate) fn store(&self) -> Arc<dyn SessionStore> {
        Arc::clone(&self.store)
    }

    /// Returns all sessions, the one that changed last first.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn list(&self) -> Result<Vec<SessionRecord>> {
        let mut records = self.store.list()?;
        for record in &mut records {
            self.correct(record)?;
        }
        let known: BTreeSet<String> =
            records.iter().flat_map(|record| &record.runs).map(|run| run.id.clone()).collect();
        for id in self.new_run_ids()?.into_iter().filter(|id| !known.contains(id)) {
            // A folder that is not a run must not hide the sessions.
            if let Ok(Some(record)) = find_session(&self.app, &id) {
                self.store.save(&record)?;
                records.push(record);
            }
        }
        records
            .sort_by(|one, other| other.updated_ms.cmp(&one.updated_ms).then_with(|| other.id.cmp(&one.id)));
        Ok(records)
    }

    /// Returns the ids of the runs that the last list may not have seen.
    fn new_run_ids(&self) -> Result<Vec<String>> {
        let newest = self.newest.load(Ordering::Relaxed);
        let since = (newest > 0).then(|| newest.saturating_sub(CLOCK_SKEW_SECONDS));
        let ids = self.app.run_ids(since)?;
        let seconds = ids.last().and_then(|id| id.split('-').next()?.parse().ok()).unwrap_or(newest);
        self.newest.fetch_max(seconds, Ordering::Relaxed);
        Ok(ids)
    }

    /// Corrects the state of a record whose process was killed, or whose run another program continued.
    fn correct(&self, record: &mut SessionRecord) -> Result<()> {
        let is_stale = if record.is_found {
            refresh(&self.app, record)
        } else if record.state.is_active() {
            let run = record.newest_run().map(|run| self.app.find_run(&run.id)).transpose();
            let is_active = run.ok().flatten().is_some_and(|run| run.is_active());
            if !is_active {
                record.state = SessionState::Interrupted;
            }
            !is_active
        } else {
            false
        };
        if is_stale { self.store.save(record) } else { Ok(()) }
    }

    /// Finds a session by its id, by the beginning of its id, by the id of one of its runs, or by the name `last`.
    ///
    /// # Errors
    ///
    /// Fails if no session or several sessions have this name.
    pub fn find(&self, name: &str) -> Result<SessionRecord> {
        if let Some(mut record) = self.store.get(name)? {
            self.correct(&mut record)?;
            return Ok(record);
        }
        let records = self.list()?;
        if name == LAST {
            return match records.into_iter().next() {
                Some(record) => Ok(record),
                None => bail!(NotFound, "there are no sessions"),
            };
        }
        ensure!(!name.is_empty(), Invalid, "the name of the session is empty");
        let has_name = |record: &&SessionRecord| {
            record.id.starts_with(name) || record.runs.iter().any(|run| run.id.starts_with(name))
        };
        let found: Vec<&SessionRecord> = records.iter().filter(has_name).collect();
        match found.as_slice() {
            [record] => Ok((*record).clone()),
            [] => bail!(NotFound, "there is no session {name}"),
            many => {
                let ids: Vec<&str> = many.iter().take(5).map(|record| record.id.as_str()).collect();
                bail!(Conflict, "{} sessions begin with {name}: {}", many.len(), ids.join(", "))
            }
        }
    }

    /// Renames a session.
    ///
    /// # Errors
    ///
    /// Fails if the session does not exist, or if the name is empty.
    pub fn rename(&self, session: &str, name: &str) -> Result<SessionRecord> {
        let name = name.trim();
        ensure!(!name.is_empty(), Invalid, "the new name of the session is empty");
        let mut record = self.find(session)?;
        name.clone_into(&mut record.name);
        self.store.save(&record)?;
        Ok(record)
    }

    /// Deletes a session with its runs: records, feeds, answers, outputs and checkpoints. Files that the agent wrote
    /// into the workspace stay.
    ///
    /// # Errors
    ///
    /// Fails if a process works on the session, if the runs are in a database, or if a folder cannot be deleted.
    pub fn delete(&self, session: &str) -> Result<SessionRecord> {
        let record = self.find(session)?;
        self.delete_record(&record)?;
        Ok(record)
    }

    fn delete_record(&self, record: &SessionRecord) -> Result<()> {
        ensure!(
            !record.state.is_active(),
            Conflict,
            "session {} is active: stop it before you delete it",
            record.id
        );
        for run in &record.runs {
            match self.app.find_run(&run.id) {
                Ok(folder) => folder.delete()?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        self.store.remove(&record.id)
    }

    /// Deletes old sessions, and returns them, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the sessions cannot be read, or if one cannot be deleted.
    pub fn prune(&self, prune: Prune, now_ms: u64) -> Result<Vec<SessionRecord>> {
        let mut selected = Vec::new();
        let mut kept = Vec::new();
        for record in self.list()? {
            let age_ms = now_ms.saturating_sub(record.updated_ms);
            let is_old = prune.older_than_ms.is_some_and(|most| age_ms >= most);
            if is_old && is_prunable(&record) {
                selected.push(record);
            } else {
                kept.push(record);
            }
        }
        if let Some(most) = prune.max_bytes {
            self.select_by_size(&kept, most, &mut selected);
        }
        selected.sort_by_key(|record| record.updated_ms);
        if !prune.is_dry_run {
            for record in &selected {
                self.delete_record(record)?;
            }
        }
        Ok(selected)
    }

    /// Selects the oldest sessions that do not fit beside newer ones.
    fn select_by_size(&self, records: &[SessionRecord], most: u64, selected: &mut Vec<SessionRecord>) {
        let mut bytes = 0_u64;
        // The list begins with the newest session.
        for record in records {
            bytes = bytes.saturating_add(self.size(record));
            if bytes > most && is_prunable(record) {
                selected.push(record.clone());
            }
        }
    }

    /// Returns the size of the run folders of a session in bytes.
    pub fn size(&self, record: &SessionRecord) -> u64 {
        let folders = record.runs.iter().filter_map(|run| self.app.find_run(&run.id).ok());
        folders.map(|folder| folder.size()).fold(0, u64::saturating_add)
    }

    /// Returns the numbered events of a session after a number, from its records.
    ///
    /// # Errors
    ///
    /// Fails if a record cannot be read.
    pub fn events(&self, record: &SessionRecord, after: Option<u64>) -> Result<Vec<FeedEvent>> {
        let after = after.unwrap_or_default();
        let mut events = Vec::new();
        for (position, run) in record.runs.iter().enumerate() {
            let next = record.runs.get(position.saturating_add(1));
            // All events of the run are before the number.
            if next.is_some_and(|next| next.first_seq <= after.saturating_add(1)) {
                continue;
            }
            let folder = self.app.find_run(&run.id)?;
            let read = read_run(&folder, &record.id, run)?;
            events.extend(read.into_iter().filter(|event| event.seq > after));
        }
        Ok(events)
    }

    /// Returns the folder of a run.
    ///
    /// # Errors
    ///
    /// Fails if the run does not exist.
    pub fn folder(&self, run: &str) -> Result<RunFolder> {
        self.app.find_run(run)
    }

    /// Returns the folder of the newest run of a session.
    ///
    /// # Errors
    ///
    /// Fails if the run does not exist.
    pub fn newest_folder(&self, record: &SessionRecord) -> Result<RunFolder> {
        match record.newest_run() {
            Some(RunEntry { id, .. }) => self.app.find_run(id),
            None => bail!(NotFound, "session {} has no run", record.id),
        }
    }
}

/// Returns true if pruning may delete a session.
fn is_prunable(record: &SessionRecord) -> bool {
    !record.state.is_active() && record.state != SessionState::Suspended
}
