//! The files of a session's runs: checkpoints, differences and restores.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use windlass_app::runs::{FileHistory, RunFolder};
use windlass_app::sessions::Sessions;
use windlass_app::{AppError, ErrorKind, secrets};
use windlass_checkpoint::{CheckpointId, ForeignChanges};

use super::error::ApiError;
use super::extract::{Body, Parameters};
use super::sessions::on_sessions;
use super::values::files::{CheckpointsValue, DiffValue, NewRestore, RestoreValue};
use crate::state::Shared;

/// The parameters of a list of checkpoints, and of a diff.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FileParameters {
    run: Option<String>,
    turn: Option<u32>,
    now: bool,
}

/// Returns the folder of a run of a session, or of its newest run.
fn find_run(sessions: &Sessions, session: &str, run: Option<&str>) -> Result<RunFolder, AppError> {
    let record = sessions.find(session)?;
    match run {
        None => sessions.newest_folder(&record),
        Some(run) if record.runs.iter().any(|known| known.id == run) => sessions.folder(run),
        Some(run) => {
            Err(AppError::new(ErrorKind::NotFound, format!("session {} has no run {run}", record.id)))
        }
    }
}

/// Lists the checkpoints of a run.
pub(super) async fn checkpoints(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<FileParameters>,
) -> Result<Json<CheckpointsValue>, ApiError> {
    let list = move |sessions: &Sessions| {
        let folder = find_run(sessions, &id, parameters.run.as_deref())?;
        let history = FileHistory::open(&folder)?;
        Ok(CheckpointsValue { run: folder.id, checkpoints: history.list().iter().map(Into::into).collect() })
    };
    Ok(Json(on_sessions(&shared, list).await?))
}

/// Returns the changes of a turn or of a run.
pub(super) async fn diff(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Parameters(parameters): Parameters<FileParameters>,
) -> Result<Json<DiffValue>, ApiError> {
    let compare = move |sessions: &Sessions| {
        let folder = find_run(sessions, &id, parameters.run.as_deref())?;
        let diff = FileHistory::open(&folder)?.diff(parameters.turn, parameters.now)?;
        let text = secrets::environment_redactor().redact(&diff.text).into_owned();
        Ok(DiffValue { run: folder.id, text, is_cut: diff.is_cut })
    };
    Ok(Json(on_sessions(&shared, compare).await?))
}

/// Restores the files of a checkpoint if the request names the digest of a preview, and otherwise returns the preview.
pub(super) async fn restore(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Body(wanted): Body<NewRestore>,
) -> Result<Json<RestoreValue>, ApiError> {
    let restore = move |sessions: &Sessions| {
        let history = FileHistory::open(&find_run(sessions, &id, wanted.run.as_deref())?)?;
        let to: CheckpointId = match &wanted.checkpoint {
            Some(text) => text.parse()?,
            None => history.find(wanted.turn)?,
        };
        let foreign = ForeignChanges::from(wanted.others);
        let (changes, digest) = if let Some(digest) = &wanted.digest {
            (history.restore_as_planned(&to, foreign, digest)?, None)
        } else {
            let plan = history.plan(&to, foreign)?;
            (plan.changes, Some(plan.digest))
        };
        Ok(RestoreValue::new(to.to_string(), changes, digest))
    };
    Ok(Json(on_sessions(&shared, restore).await?))
}
