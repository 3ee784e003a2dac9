//! The sessions of a user: list, find, rename, delete and prune.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::counts::SessionCounts;
use super::found::{find_session, refresh};
use super::page::{PageRequest, SessionPage, SessionPlace};
use super::record::{RunEntry, SessionRecord, SessionState};
use super::store::{SessionStore, open_sessions};
use crate::app::App;
use crate::error::{AppError, ErrorKind, Result, bail, ensure, one_line};
use crate::feed::FeedEvent;
use crate::runs::{RunFolder, read_run};

/// Number of sessions that a search by the beginning of an id reads.
const FOUND: usize = 6;

/// Name that means the session that changed last.
const LAST: &str = "last";

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
    /// The runs that were reported as unreadable.
    reported: Arc<Mutex<BTreeSet<String>>>,
}

impl Sessions {
    /// Opens the sessions of the handle's store of runs.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn new(app: &App) -> Result<Self> {
        Ok(Self { store: open_sessions(app)?, app: app.clone(), reported: Arc::default() })
    }

    /// Opens sessions in another store. The runs stay in the handle's store of runs.
    pub fn with_store(app: &App, store: impl SessionStore + 'static) -> Self {
        Self { app: app.clone(), store: Arc::new(store), reported: Arc::default() }
    }

    /// Returns the application whose sessions these are.
    pub fn app(&self) -> &App {
        &self.app
    }

    pub(crate) fn store(&self) -> Arc<dyn SessionStore> {
        Arc::clone(&self.store)
    }

    /// Returns all sessions, the one that changed last first. [`page`](Self::page) reads less.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn list(&self) -> Result<Vec<SessionRecord>> {
        self.add_unknown_runs()?;
        let mut records = self.store.list()?;
        for record in &mut records {
            self.correct(record)?;
        }
        records
            .sort_by(|one, other| other.updated_ms.cmp(&one.updated_ms).then_with(|| other.id.cmp(&one.id)));
        Ok(records)
    }

    /// Returns a page of the sessions, the one that changed last first. The store reads the records of the page only,
    /// unless the request selects by folder.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn page(&self, request: &PageRequest) -> Result<SessionPage> {
        self.add_unknown_runs()?;
        let mut page = SessionPage::default();
        let mut place = request.place().cloned();
        // One more record shows that there is a next page.
        let count = request.limit().saturating_add(1);
        loop {
            let records = self.store.page(place.as_ref(), count)?;
            let is_last = records.len() < count;
            for mut record in records {
                let next = place.replace(SessionPlace::from(&record));
                if !request.accepts(&record) {
                    continue;
                }
                if page.records.len() == request.limit() {
                    page.next = next;
                    return Ok(page);
                }
                self.correct(&mut record)?;
                page.records.push(record);
            }
            if is_last {
                return Ok(page);
            }
        }
    }

    /// Returns the number of sessions.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn count(&self) -> Result<usize> {
        self.add_unknown_runs()?;
        self.store.count()
    }

    /// Returns the sessions on which a process works or which have open questions, in the order of their ids. Only
    /// the records of these sessions are read.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn open_sessions(&self) -> Result<Vec<SessionRecord>> {
        self.add_unknown_runs()?;
        let mut records = self.store.open()?;
        for record in &mut records {
            self.correct(record)?;
        }
        records.retain(SessionRecord::is_open);
        Ok(records)
    }

    /// Returns the numbers of sessions by state. The store reads the records of open sessions only.
    ///
    /// # Errors
    ///
    /// Fails if the sessions or the folder of runs cannot be read.
    pub fn counts(&self) -> Result<SessionCounts> {
        // A process can have been killed while it worked on a session.
        self.open_sessions()?;
        self.store.counts()
    }

    /// Stores the runs without a session as sessions with one run.
    fn add_unknown_runs(&self) -> Result<()> {
        // The second search finds that all runs are known, which stores can note.
        for _ in 0..2 {
            let unknown = self.store.find_unknown_runs(&self.app)?;
            if unknown.is_empty() {
                break;
            }
            for id in unknown {
                // A folder that is not a run must not hide the sessions.
                match find_session(&self.app, &id) {
                    Ok(Some(record)) => self.store.save(&record)?,
                    Ok(None) => self.store.skip_run(&id)?,
                    Err(error) => self.report_unreadable(id, &error),
                }
            }
        }
        Ok(())
    }

    /// Informs the user of a run that cannot be read, once.
    fn report_unreadable(&self, run: String, error: &AppError) {
        let text = format!("run {run} is not listed: {}", one_line(error));
        if self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(run) {
            self.app.inform(text);
        }
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
        if name == LAST {
            return match self.page(&PageRequest::new(1))?.records.into_iter().next() {
                Some(record) => Ok(record),
                None => bail!(NotFound, "there are no sessions"),
            };
        }
        ensure!(!name.is_empty(), Invalid, "the name of the session is empty");
        self.add_unknown_runs()?;
        let mut found = self.store.find(name, FOUND)?;
        match found.as_mut_slice() {
            [record] => {
                self.correct(record)?;
                Ok(record.clone())
            }
            [] => bail!(NotFound, "there is no session {name}"),
            many => {
                let ids: Vec<&str> = many.iter().take(5).map(|record| record.id.as_str()).collect();
                let more = if many.len() == FOUND { " and more" } else { "" };
                bail!(Conflict, "several sessions begin with {name}: {}{more}", ids.join(", "))
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

    pub(super) fn delete_record(&self, record: &SessionRecord) -> Result<()> {
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
