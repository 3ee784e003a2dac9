//! The handle that every function of the library takes: folders, and the receiver of notices.

use std::path::{Path, PathBuf};

use windlass_store::StoreUrl;

use crate::config::Folders;
use crate::error::{Context as _, Result};
use crate::notices::{NoticeSink, Notices};
use crate::storage::AppStore;

/// Handle to one configuration: the folders of a user, and the receiver of notices.
///
/// Clones share the receiver. A program with several users has one handle for each of them.
///
/// ```
/// use std::sync::mpsc;
///
/// use windlass_app::{App, Folders, Notice};
///
/// let folder = tempfile::tempdir()?;
/// let folders = Folders::new(folder.path().join("settings"), folder.path().join("state"));
/// let (sender, notices) = mpsc::channel();
/// let app = App::new(folders).with_notices(move |notice: &Notice| drop(sender.send(notice.clone())));
/// assert!(app.runs()?.is_empty());
/// assert!(notices.try_recv().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct App {
    folders: Folders,
    notices: Notices,
    store: AppStore,
    private_paths: Vec<PathBuf>,
}

impl App {
    /// Creates a handle for these folders. Notices are dropped.
    pub fn new(folders: Folders) -> Self {
        Self { folders, notices: Notices::default(), store: AppStore::default(), private_paths: Vec::new() }
    }

    /// Creates a handle for the folders that the environment names. Notices are dropped.
    pub fn from_environment() -> Self {
        Self::new(Folders::from_environment())
    }

    /// Sets the receiver of notices.
    pub fn with_notices(self, sink: impl NoticeSink + 'static) -> Self {
        Self { notices: Notices::new(sink), ..self }
    }

    /// Keeps runs in another store than the state folder: in another folder, or in a database that several
    /// processes share. Blocks until the store is open.
    ///
    /// Checkpoints, and the files of long outputs, stay on this machine too; long outputs are copied into a
    /// database, and back when another machine resumes the run.
    ///
    /// # Errors
    ///
    /// Fails if the address is invalid, if the build lacks the feature of the database, or if the store cannot
    /// be opened.
    pub fn with_store(self, url: &StoreUrl) -> Result<Self> {
        Ok(Self { store: AppStore::open(url)?, ..self })
    }

    /// Adds a file or folder that no tool of a run reaches: one in which the program keeps keys or records, apart
    /// from its folders of settings and state.
    pub fn with_private_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.private_paths.push(path.into());
        self
    }

    /// Returns the private paths, and those of the store of runs.
    pub(crate) fn list_private_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.store.list_files().into_iter().chain(self.private_paths.iter().cloned())
    }

    pub(crate) fn store(&self) -> &AppStore {
        &self.store
    }

    /// Returns the user's folder of settings, if there is a place for it. The folder may not exist.
    pub fn settings_folder(&self) -> Option<&Path> {
        self.folders.settings.as_deref()
    }

    /// Returns the folder for runs and other state. The folder may not exist.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no place for it.
    pub fn state_folder(&self) -> Result<&Path> {
        self.folders.state.as_deref().context("no folder for runs: set WINDLASS_STATE_DIR or HOME")
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.folders.home.as_deref()
    }

    pub(crate) fn settings_file(&self, name: &str) -> Option<PathBuf> {
        self.settings_folder().map(|folder| folder.join(name))
    }

    pub(crate) fn state_file(&self, name: &str) -> Result<PathBuf> {
        Ok(self.state_folder()?.join(name))
    }

    /// Returns the folder with the folders of runs.
    pub(crate) fn runs_folder(&self) -> Result<PathBuf> {
        match self.store.folder() {
            Some(folder) => Ok(folder.to_owned()),
            None => self.state_file("runs"),
        }
    }

    pub(crate) fn notices(&self) -> &Notices {
        &self.notices
    }

    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.notices.warn(text);
    }

    pub(crate) fn inform(&self, text: impl Into<String>) {
        self.notices.inform(text);
    }
}
