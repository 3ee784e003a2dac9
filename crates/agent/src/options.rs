//! What differs from run to run.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use windlass_journal::{Journal, MemoryJournal};

/// What differs from run to run: where it is recorded, how it is stopped.
pub struct RunOptions {
    pub(crate) journal: Box<dyn Journal + Send>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) outputs: Option<PathBuf>,
}

impl Default for RunOptions {
    /// Recorded in memory, stopped by dropping.
    fn default() -> Self {
        Self {
            journal: Box::new(MemoryJournal::default()),
            cancellation: CancellationToken::new(),
            outputs: None,
        }
    }
}

impl RunOptions {
    /// The same run, recorded here.
    pub fn with_journal(mut self, journal: impl Journal + Send + 'static) -> Self {
        self.journal = Box::new(journal);
        self
    }

    /// The same run, stopped by this token; calls still get their results.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The same run, with a folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }
}

impl std::fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}
