//! The changes of a run, and the way back.

use windlass_app::runs::{find_before_turn, format_diff, open_checkpoints};
use windlass_app::sessions::Sessions;
use windlass_app::{AppError, ErrorKind};
use windlass_checkpoint::{DiffEnd, ForeignChanges};
use windlass_journal::FileJournal;
use windlass_text::count_noun;

/// Returns the changes of the newest run of a session as a unified diff.
pub(super) fn diff(sessions: &Sessions, session: &str) -> Result<String, AppError> {
    let folder = sessions.newest_folder(&sessions.find(session)?)?;
    let checkpoints = open_checkpoints(&folder, &folder.settings()?)?;
    let all = checkpoints.list().map_err(checkpoint_error)?;
    let Some(first) = all.first() else { return Ok(String::new()) };
    let diff = checkpoints.diff(&first.id, DiffEnd::Now).map_err(checkpoint_error)?;
    Ok(format_diff(diff))
}

/// Restores the files of the newest run of a session to the state before a turn, or before the run.
pub(super) fn restore(sessions: &Sessions, session: &str, turn: Option<u32>) -> Result<String, AppError> {
    let folder = sessions.newest_folder(&sessions.find(session)?)?;
    let checkpoints = open_checkpoints(&folder, &folder.settings()?)?;
    let all = checkpoints.list().map_err(checkpoint_error)?;
    let to = find_before_turn(&all, turn.unwrap_or_default());
    let Some(to) = to else {
        return Err(AppError::new(ErrorKind::NotFound, "the run changed nothing from this turn on"));
    };
    // The lock of the journal proves that the run does not work.
    let journal = FileJournal::open(folder.journal()).map_err(checkpoint_error)?;
    let restored = checkpoints.restore(&to.id, ForeignChanges::Refuse);
    drop(journal);
    let restored = restored.map_err(checkpoint_error)?;
    let undo =
        restored.undo.map(|undo| format!("; undo with: windlass restore {} --checkpoint {undo}", folder.id));
    Ok(format!(
        "{} restored, {} removed; left because of other changes: {}{}",
        count_noun(restored.written.len(), "file"),
        restored.removed.len(),
        restored.kept.len(),
        undo.unwrap_or_default()
    ))
}

fn checkpoint_error(error: impl std::error::Error) -> AppError {
    AppError::new(ErrorKind::Conflict, error.to_string())
}
