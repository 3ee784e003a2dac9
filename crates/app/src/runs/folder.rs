//! Folders of runs. Each has the run's journal, settings, long outputs and answers.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};
use windlass_journal::{FileJournal, FileJournals, Journals, Record};

use super::shared_run::SharedRun;
use crate::app::App;
use crate::config::{RunSettings, create_private_folder};
use crate::error::{AppError, Context as _, ErrorKind, Result, ensure};
use crate::storage::{AppStore, bounded, write_whole};

/// Name of the stored definition of a workflow in its run's folder, without `.json`.
pub(crate) const WORKFLOW: &str = "workflow";

/// The folder of one run, with the run's id. The records, settings, answers and messages of a run in a
/// database are there instead, and the folder has only what this machine needs: checkpoints and outputs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunFolder {
    /// Id of the run. Ids sort by the time of the start.
    pub id: String,
    /// Path of the folder.
    pub path: PathBuf,
    /// The run in a database.
    shared: Option<SharedRun>,
    /// The store for messages, if it is not the state folder.
    shown: Option<String>,
}

impl App {
    /// Returns all runs that have a journal, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown or cannot be read.
    pub fn runs(&self) -> Result<Vec<RunFolder>> {
        let Some(database) = self.store().database() else { return RunFolder::list(self) };
        AppStore::list(database)?.iter().map(|id| RunFolder::at(self, id)).collect()
    }

    /// Returns the ids of the folders or rows that can be runs, without looking into them.
    pub(crate) fn run_ids(&self) -> Result<Vec<String>> {
        match self.store().database() {
            Some(database) => AppStore::list(database),
            None => RunFolder::list_names(self),
        }
    }

    /// Returns the folder of the records of sessions.
    pub(crate) fn sessions_folder(&self) -> Result<PathBuf> {
        if let Some(folder) = self.store().folder() {
            return Ok(folder.to_owned());
        }
        // Each database has sessions of its own.
        match (self.store().database(), self.store().describe()) {
            (Some(_), Some(address)) => self.state_file(&format!("sessions-of-{}", hash(address))),
            _ => Ok(self.state_folder()?.to_owned()),
        }
    }

    /// Finds a run by its id.
    ///
    /// # Errors
    ///
    /// Fails if the id is malformed or the run does not exist.
    pub fn find_run(&self, id: &str) -> Result<RunFolder> {
        let run = RunFolder::find(self, id)?;
        // The folder does not exist here yet if the run was started on another machine.
        match &run.shared {
            Some(shared) => drop(shared.store.read_settings(id)?),
            None => {
                ensure!(run.path.is_dir(), NotFound, "run {id} does not exist in {}", run.parent().display());
            }
        }
        Ok(run)
    }
}

impl RunFolder {
    /// Creates the folder of a new run. Only the user can access it.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown, or if it cannot be written.
    pub fn create(app: &App) -> Result<Self> {
        Self::create_as(app, &new_id()?)
    }

    /// Creates the folder of a new run that has an id of [`new_id`].
    pub(crate) fn create_as(app: &App, id: &str) -> Result<Self> {
        let run = Self::find(app, id)?;
        ensure!(!run.path.exists(), Conflict, "run {id} exists already");
        create_private_folder(&run.path)
            .with_context(|| format!("the run's folder {} cannot be created", run.path.display()))?;
        Ok(run)
    }

    /// Returns the folder of a run, which need not exist.
    fn at(app: &App, id: &str) -> Result<Self> {
        let store = app.store();
        let shared = store.database().map(|database| SharedRun::new(database, id));
        let shown = store.describe().map(str::to_owned);
        Ok(Self { path: app.runs_folder()?.join(id), id: id.to_owned(), shared, shown })
    }

    fn parent(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn find(app: &App, id: &str) -> Result<Self> {
        ensure!(is_id(id), Invalid, "{id:?} is not the id of a run");
        Self::at(app, id)
    }

    /// Returns the names in the folder of runs that have the form of an id.
    fn list_names(app: &App) -> Result<Vec<String>> {
        let runs = app.runs_folder()?;
        let names = match fs::read_dir(&runs) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", runs.display())),
        };
        let mut ids: Vec<String> =
            names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        ids.retain(|id| is_id(id));
        ids.sort();
        Ok(ids)
    }

    fn list(app: &App) -> Result<Vec<Self>> {
        // Skip entries that are not run folders.
        Ok(Self::list_names(app)?
            .iter()
            .filter_map(|id| Self::find(app, id).ok())
            .filter(|run| run.journal().is_file())
            .collect())
    }

    /// Returns true if a process works on the run. For a run in a database the answer is true, because only its
    /// lease can tell.
    pub fn is_active(&self) -> bool {
        if self.shared.is_some() {
            return true;
        }
        // The owner of a journal holds a lock on it. A shared lock does not disturb other readers.
        let Ok(file) = fs::File::open(self.journal()) else { return false };
        matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    }

    /// Returns whether a process works on the run, like [`is_active`](Self::is_active), or `None` for a run in a
    /// database.
    pub fn read_activity(&self) -> Option<bool> {
        self.shared.is_none().then(|| self.is_active())
    }

    /// Deletes the run's folder with everything in it.
    pub(crate) fn delete(&self) -> Result<()> {
        ensure!(
            self.shared.is_none(),
            Conflict,
            "run {} is in a database and cannot be deleted yet",
            self.id
        );
        ensure!(!self.is_active(), Conflict, "a process works on run {}", self.id);
        fs::remove_dir_all(&self.path).with_context(|| format!("{} cannot be deleted", self.path.display()))
    }

    /// Returns the size of the files in the run's folder in bytes.
    pub(crate) fn size(&self) -> u64 {
        let mut folders = vec![self.path.clone()];
        let mut bytes = 0_u64;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.metadata() {
                    Ok(data) if data.is_dir() => folders.push(entry.path()),
                    Ok(data) => bytes = bytes.saturating_add(data.len()),
                    Err(_) => {}
                }
            }
        }
        bytes
    }

    /// Returns true if another process has taken the run over from this one. A run that is not in a database is
    /// never taken over.
    pub fn has_lost_lease(&self) -> bool {
        self.shared.as_ref().is_some_and(SharedRun::has_lost_lease)
    }

    /// Returns the run in a database, if it is in one.
    pub(crate) fn shared(&self) -> Option<&SharedRun> {
        self.shared.as_ref()
    }

    /// Returns the place of the run's records for a message: the path of the journal, or the database.
    pub fn describe_journal(&self) -> String {
        match (&self.shared, &self.shown) {
            (Some(_), Some(shown)) => format!("run {} in {shown}", self.id),
            _ => self.journal().display().to_string(),
        }
    }

    /// Reads the records of the run, also while another process works on it.
    ///
    /// # Errors
    ///
    /// Fails if the records cannot be read.
    pub fn records(&self) -> Result<Vec<Record>> {
        match &self.shared {
            Some(shared) => Ok(shared.store.read_run_journal(&self.id)?),
            None => Ok(FileJournal::read(self.journal())?),
        }
    }

    /// Returns the journals of sub-agents and workflow steps.
    pub(crate) fn open_nested_journals(&self) -> Arc<dyn Journals> {
        match &self.shared {
            Some(shared) => Arc::new(shared.clone()),
            None => Arc::new(FileJournals::new(self.child_journals())),
        }
    }

    /// Returns the folder of stored answers.
    pub(crate) fn answers(&self) -> PathBuf {
        self.path.join("answers")
    }

    /// Returns the folder of messages that the run has not recorded yet.
    pub(crate) fn inbox(&self) -> PathBuf {
        self.path.join("inbox")
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// Returns the folder of the checkpoints.
    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    /// Returns the folder of outputs that are too long for the model.
    pub fn outputs(&self) -> PathBuf {
        self.path.join("outputs")
    }

    /// Returns the folder of the journals of sub-agents and workflow steps.
    pub(crate) fn child_journals(&self) -> PathBuf {
        self.path.join("nested")
    }

    /// Returns true if the run executes a workflow instead of a model.
    pub fn is_workflow(&self) -> bool {
        self.path.join(format!("{WORKFLOW}.json")).is_file()
    }

    pub(crate) fn write_settings(&self, settings: &RunSettings) -> Result<()> {
        if let Some(shared) = &self.shared {
            let text = serde_json::to_string(settings)?;
            return Ok(shared.store.create_run(&self.id, &text.parse()?)?);
        }
        let file = self.path.join("settings.json");
        write_whole(&file, &serde_json::to_vec_pretty(settings)?, 0o600)
    }

    /// Reads the settings of the run.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or invalid.
    pub fn settings(&self) -> Result<RunSettings> {
        if let Some(shared) = &self.shared {
            let settings = shared.store.read_settings(&self.id)?;
            return serde_json::from_str(settings.as_str())
                .with_context(|| format!("the settings of run {} cannot be read", self.id));
        }
        let file = self.path.join("settings.json");
        let bytes = bounded::read(&file, bounded::VALUE_BYTES)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} is not a run's settings", file.display()))
    }
}

pub(crate) fn is_id(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Returns a short digest of a text for a name.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns a new id: Unix time in seconds and 32 random bits in hexadecimal. Ids sort by time, and collisions
/// between the runs of one user are improbable.
pub(crate) fn new_id() -> Result<String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut random = [0_u8; 4];
    getrandom::fill(&mut random).map_err(no_random_bytes)?;
    Ok(format!("{seconds}-{:08x}", u32::from_be_bytes(random)))
}

/// Converts an error of the system's random number generator.
pub(crate) fn no_random_bytes(error: getrandom::Error) -> AppError {
    AppError::new(ErrorKind::Unavailable, format!("no random bytes: {error}"))
}
