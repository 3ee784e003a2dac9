//! Checkpoints of real folders, with a real `git`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests change files and start programs, and fail loudly"
)]

#[cfg(unix)]
mod crashes;
#[cfg(unix)]
mod hostile;
mod kept;
#[cfg(unix)]
mod omitted;
#[cfg(unix)]
mod restored;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};
use windlass_checkpoint::{CheckpointError, CheckpointId, Checkpoints, DiffEnd};

/// A workspace, and its checkpoints beside it.
struct Scene {
    folder: TempDir,
    work: PathBuf,
    checkpoints: Checkpoints,
}

/// Creates a workspace with a real `git`, or returns an error if git is missing.
fn scene() -> Result<Scene, CheckpointError> {
    let folder = tempdir().unwrap();
    let work = folder.path().canonicalize().unwrap().join("work");
    fs::create_dir(&work).unwrap();
    let checkpoints = opened(&work, &folder.path().join("state"))?;
    Ok(Scene { folder, work, checkpoints })
}

fn opened(work: &Path, state: &Path) -> Result<Checkpoints, CheckpointError> {
    let opened = Checkpoints::open(work, state);
    if matches!(opened, Err(CheckpointError::NoGit(_))) { opened } else { Ok(opened.unwrap()) }
}

impl Scene {
    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.work.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.work.join(path)).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.work.join(path)).unwrap()
    }

    #[track_caller]
    fn take(&self) -> CheckpointId {
        self.checkpoints.take("a checkpoint").unwrap().checkpoint.id
    }

    /// Changes since a checkpoint.
    #[track_caller]
    fn since(&self, id: &CheckpointId) -> String {
        self.checkpoints.diff(id, DiffEnd::Now).unwrap().text
    }
}
