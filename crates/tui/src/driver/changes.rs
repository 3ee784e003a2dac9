//! The settings that a person changes in the conversation.

use serde_json::json;
use windlass_app::assembly::{find_mode, load_modes};
use windlass_app::sessions::RunChanges;
use windlass_app::{AppError, Autonomy, RunSettings};
use windlass_protocol::Effort;

use super::parts::Parts;
use crate::action::Changes;

/// Applies changes to the settings of new sessions, and returns them for the next run of a session.
///
/// # Errors
///
/// Fails with a message if a value is unknown.
pub(super) fn apply(changes: &Changes, template: &mut RunSettings) -> Result<RunChanges, String> {
    let mut next = RunChanges::default();
    let mut settings = template.clone();
    if let Some(name) = &changes.autonomy {
        let autonomy: Autonomy = serde_json::from_value(json!(name)).map_err(|_| {
            format!("unknown autonomy {name}; the levels are: {}", Autonomy::NAMES.join(", "))
        })?;
        (settings.autonomy, next.autonomy) = (autonomy, Some(autonomy));
    }
    if let Some(effort) = &changes.effort {
        let effort: Effort = effort.parse().map_err(|error| format!("{error}"))?;
        (settings.request.reasoning, next.effort) = (Some(effort), Some(effort));
    }
    if let Some(model) = &changes.model {
        settings.provider.model.clone_from(model);
        next.provider = Some(settings.provider.clone());
    }
    if let Some(mode) = &changes.mode {
        settings.offering.mode = Some(mode.clone());
        next.mode = Some(mode.clone());
    }
    *template = settings;
    Ok(next)
}

/// Checks that a mode exists in the folder of a session, or of new sessions.
///
/// # Errors
///
/// Fails with the names of the modes if it does not exist.
pub(super) fn check_mode(parts: &Parts, session: Option<&str>, mode: &str) -> Result<(), AppError> {
    let sessions = parts.host.sessions();
    let root = match session {
        Some(session) => sessions.find(session)?.root,
        None => parts.root.clone(),
    };
    find_mode(&load_modes(sessions.app(), &root)?, mode).map(drop)
}
