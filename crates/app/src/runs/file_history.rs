//! The files of a run as its checkpoints have them: differences, and the restore of an earlier state.

use sha2::{Digest as _, Sha256};
use windlass_checkpoint::{
    Checkpoint, CheckpointId, Checkpoints, Diff, DiffEnd, ForeignChanges, RestoreResult,
};
use windlass_journal::{FileJournal, Journal};
use windlass_tool::CancellationToken;

use super::checkpoints::{find_after_turn, find_before_turn, open_checkpoints};
use super::folder::RunFolder;
use crate::error::{Context as _, ErrorKind, Result, bail, ensure};
use crate::hex::short_hex;

/// The checkpoints of a run, with the differences between them. All methods block: they read files and start git.
#[derive(Debug)]
pub struct FileHistory {
    folder: RunFolder,
    checkpoints: Checkpoints,
    all: Vec<Checkpoint>,
}

/// Preview of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestorePlan {
    /// The checkpoint.
    pub to: CheckpointId,
    /// The changes.
    pub changes: RestoreResult,
    /// Digest of the changes, which [`FileHistory::restore_as_planned`] compares.
    pub digest: String,
}

impl FileHistory {
    /// Opens the checkpoints of a run.
    ///
    /// # Errors
    ///
    /// Fails if the run has no checkpoints, or if git or the folder cannot be used.
    pub fn open(folder: &RunFolder) -> Result<Self> {
        let checkpoints = open_checkpoints(folder, &folder.settings()?)?;
        let all = checkpoints.list()?;
        Ok(Self { folder: folder.clone(), checkpoints, all })
    }

    /// Returns the checkpoints, the oldest first.
    pub fn list(&self) -> &[Checkpoint] {
        &self.all
    }

    /// Returns the changes of a turn, or without a turn those of the whole run. With `until_now` they include what
    /// changed since.
    ///
    /// # Errors
    ///
    /// Fails if the turn changed nothing, or if the checkpoints cannot be read.
    pub fn diff(&self, turn: Option<u32>, until_now: bool) -> Result<Diff> {
        let (first, last) = self.ends()?;
        let (from, end) = match turn {
            None => (first, Some(last)),
            Some(turn) => {
                let next = find_before_turn(&self.all, turn.saturating_add(1));
                let from = find_before_turn(&self.all, turn).filter(|from| next != Some(*from));
                let Some(from) = from else {
                    bail!(NotFound, "turn {turn} of run {} changed nothing", self.folder.id)
                };
                // An interrupted turn ends where the next one begins, or now if it was the last.
                (from, find_after_turn(&self.all, turn).or(next))
            }
        };
        let end = end.filter(|_| !until_now);
        let until = end.map_or(DiffEnd::Now, |end| DiffEnd::Checkpoint(&end.id));
        Ok(self.checkpoints.diff(&from.id, until)?)
    }

    /// Returns the checkpoint before a turn, or without a turn the first one.
    ///
    /// # Errors
    ///
    /// Fails if the run has changed nothing since.
    pub fn find(&self, turn: Option<u32>) -> Result<CheckpointId> {
        let Some(turn) = turn else { return Ok(self.ends()?.0.id) };
        match find_before_turn(&self.all, turn) {
            Some(found) => Ok(found.id),
            None => bail!(NotFound, "run {} has changed nothing from turn {turn} on", self.folder.id),
        }
    }

    /// Returns the changes of a restore without making them.
    ///
    /// # Errors
    ///
    /// Fails like [`restore`](Self::restore).
    pub fn plan(&self, to: &CheckpointId, foreign: ForeignChanges) -> Result<RestorePlan> {
        let changes = self.checkpoints.preview_restore(to, foreign).map_err(conflict)?;
        let digest = digest(to, foreign, &changes);
        Ok(RestorePlan { to: *to, changes, digest })
    }

    /// Restores the files of a checkpoint. The state before is in the checkpoint [`RestoreResult::undo`].
    ///
    /// # Errors
    ///
    /// Fails if a process works on the run, whose changes would conflict; if others changed files and `foreign` refuses
    /// that; or if the checkpoint does not exist.
    pub fn restore(&self, to: &CheckpointId, foreign: ForeignChanges) -> Result<RestoreResult> {
        // The lock of the journal proves that the run does not work.
        let _journal = self.lock()?;
        self.checkpoints.restore(to, foreign).map_err(conflict)
    }

    /// Restores the files of a checkpoint if the changes are still those of a plan.
    ///
    /// # Errors
    ///
    /// Fails if the changes differ, and like [`restore`](Self::restore).
    pub fn restore_as_planned(
        &self,
        to: &CheckpointId,
        foreign: ForeignChanges,
        digest: &str,
    ) -> Result<RestoreResult> {
        let _journal = self.lock()?;
        ensure!(
            self.plan(to, foreign)?.digest == digest,
            Conflict,
            "the files changed since the preview of the restore: look at a new one"
        );
        self.checkpoints.restore(to, foreign).map_err(conflict)
    }

    /// Takes the journal of the run, or its lease in a database, so that no process can work on the run meanwhile.
    fn lock(&self) -> Result<Box<dyn Journal + Send>> {
        let words = || format!("run {} cannot be restored while it works", self.folder.id);
        if let Some(shared) = self.folder.shared() {
            let journal = shared.open_journal(self.folder.outputs(), &CancellationToken::new());
            return Ok(Box::new(journal.with_context(words)?));
        }
        ensure!(!self.folder.is_active(), Conflict, "{}", words());
        Ok(Box::new(FileJournal::open(self.folder.journal()).with_context(words)?.0))
    }

    /// Returns the first and the last checkpoint.
    fn ends(&self) -> Result<(&Checkpoint, &Checkpoint)> {
        match self.all.first().zip(self.all.last()) {
            Some(ends) => Ok(ends),
            None => bail!(NotFound, "run {} has no checkpoints", self.folder.id),
        }
    }
}

/// Files that others changed are a conflict, and not a failure of the program.
fn conflict(error: windlass_checkpoint::CheckpointError) -> crate::AppError {
    use windlass_checkpoint::CheckpointError;

    let kind = match &error {
        CheckpointError::Foreign { .. } => ErrorKind::Conflict,
        _ => return error.into(),
    };
    crate::AppError::foreign(kind, error)
}

fn digest(to: &CheckpointId, foreign: ForeignChanges, changes: &RestoreResult) -> String {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    };
    add(&format!("{to} {foreign:?}"));
    for path in &changes.written {
        add(path);
    }
    add("removed");
    for path in &changes.removed {
        add(path);
    }
    add("kept");
    for kept in &changes.kept {
        add(&kept.path);
    }
    short_hex(&digest.finalize())
}
