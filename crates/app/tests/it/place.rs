//! Folders of a user and a project, and the notices that the library sends.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use windlass_app::{App, Folders, Notice};

/// A user with a project. The folders are deleted on drop.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) app: App,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["settings", "project/.windlass"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let notices = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&notices);
        let folders = Folders::new(folder.path().join("settings"), folder.path().join("state"));
        let app =
            App::new(folders).with_notices(move |notice: &Notice| sink.lock().unwrap().push(notice.clone()));
        Self { folder, app, notices }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project").canonicalize().unwrap()
    }

    /// Writes a file below the folder of the user and the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.folder.path().join(path), text).unwrap();
    }

    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notices.lock().unwrap().clone()
    }
}
