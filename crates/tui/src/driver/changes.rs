//! The settings that a person changes in the conversation.

use serde_json::{Value, json};
use windlass_app::sessions::RunChanges;
use windlass_app::{Autonomy, RunSettings};
use windlass_protocol::Effort;

use crate::action::Changes;

/// Returns the name of a level of autonomy.
pub(super) fn name_autonomy(autonomy: Autonomy) -> String {
    match serde_json::to_value(autonomy) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Applies changes to the settings of new sessions, and returns them for the next run of a session.
///
/// # Errors
///
/// Fails with a message if a value is unknown.
pub(super) fn apply(changes: &Changes, template: &mut RunSettings) -> Result<RunChanges, String> {
    let mut next = RunChanges::default();
    let mut settings = template.clone();
    if let Some(name) = &changes.autonomy {
        let autonomy: Autonomy = serde_json::from_value(json!(name))
            .map_err(|_| format!("{name:?} is not a level of autonomy: ask, read-only, auto-edit or auto"))?;
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
