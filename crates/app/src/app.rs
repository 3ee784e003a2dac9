//! The handle that every function of the library takes: folders, and the receiver of notices.

use std::path::{Path, PathBuf};

use crate::config::Folders;
use crate::error::{Context as _, Result};
use crate::notices::{NoticeSink, Notices};

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
}

impl App {
    /// Creates a handle for these folders. Notices are dropped.
    pub fn new(folders: Folders) -> Self {
        Self { folders, notices: Notices::default() }
    }

    /// Creates a handle for the folders that the environment names. Notices are dropped.
    pub fn from_environment() -> Self {
        Self::new(Folders::from_environment())
    }

    /// Sets the receiver of notices.
    pub fn with_notices(self, sink: impl NoticeSink + 'static) -> Self {
        Self { notices: Notices::new(sink), ..self }
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

    pub(crate) fn settings_file(&self, name: &str) -> Option<PathBuf> {
        self.settings_folder().map(|folder| folder.join(name))
    }

    pub(crate) fn state_file(&self, name: &str) -> Result<PathBuf> {
        Ok(self.state_folder()?.join(name))
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
