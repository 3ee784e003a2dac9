//! The changes of a run, and the way back.

use windlass_app::runs::{find_before_turn, format_diff, open_checkpoints};
use windlass_app::sessions::Sessions;
use windlass_app::{AppError, ErrorKind};
use windlass_checkpoint::{DiffEnd, ForeignChanges};
use windlass_journal::FileJournal;
use windlass_text::count_noun;

use crate::action::DiffExtent;

/// Returns the changes of a session, or of its newest run, as a unified diff.
pub(super) fn diff(sessions: &Sessions, session: &str, extent: DiffExtent) -> Result<String, AppError> {
    let record = sessions.find(session)?;
    let folders = match extent {
        DiffExtent::Run => vec![sessions.newest_folder(&record)?],
        // The folder of a run can be deleted, as can its checkpoints.
        DiffExtent::Session => record.runs.iter().filter_map(|run| sessions.folder(&run.id).ok()).collect(),
    };
    for folder in folders {
        // Each checkpoint has the whole workspace, so the first one is the state at the first change.
        let checkpoints = match open_checkpoints(&folder, &folder.settings()?) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened?,
        };
        if let Some(first) = checkpoints.list().map_err(checkpoint_error)?.first() {
            let diff = checkpoints.diff(&first.id, DiffEnd::Now).map_err(checkpoint_error)?;
            return Ok(format_diff(diff));
        }
    }
    Ok(String::new())
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
