//! A recording that replaces its file in one step.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::CassetteOptions;
use crate::{CassetteError, Recorder};

/// Number of the recordings that this process began, so that concurrent recordings have different files.
static BEGUN_RECORDINGS: AtomicU64 = AtomicU64::new(0);

/// A recording in a temporary file beside its destination.
pub(super) struct Recording {
    pub(super) recorder: Recorder,
    temporary: PathBuf,
    is_kept: AtomicBool,
}

impl Recording {
    pub(super) fn create(path: &Path, options: &CassetteOptions) -> Result<Self, CassetteError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| CassetteError::File {
                path: folder.to_owned(),
                verb: "made",
                source,
            })?;
        }
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        let number = BEGUN_RECORDINGS.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".{}-{number}.recording", std::process::id()));
        let temporary = path.with_file_name(name);
        let secrets = options.secrets.iter().cloned();
        let recorder = Recorder::create(&temporary, options.settings.clone(), secrets)?;
        Ok(Self { recorder, temporary, is_kept: AtomicBool::new(false) })
    }

    /// Syncs the recording and moves it to its destination.
    pub(super) fn keep(&self, path: &Path) -> Result<(), CassetteError> {
        if self.is_kept.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.recorder.finish()?;
        fs::rename(&self.temporary, path).map_err(|source| CassetteError::File {
            path: path.to_owned(),
            verb: "written",
            source,
        })?;
        self.is_kept.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.is_kept.load(Ordering::SeqCst) {
            // A file that cannot be removed is a hidden leftover beside the cassette, and not worth a panic.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
