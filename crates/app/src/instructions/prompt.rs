//! The system prompt of a run.

use std::path::Path;

use windlass_redact::Redactor;
use windlass_tools_shell::Shell;

use super::facts::describe;
use super::files::Instructions;
use crate::app::App;
use crate::config::{RunSettings, ToolPreset};
use crate::error::Result;

/// Adds the facts and the instruction files to the settings of a new run, unless they have them, and reports the files.
///
/// The text is stored with the run: a resumed run and the next runs of the session send the same bytes, so that the
/// provider's cache of the prompt stays valid.
pub(crate) async fn complete_settings(
    app: &App,
    settings: &mut RunSettings,
    shell: &Shell,
    redactor: &Redactor,
) -> Result<()> {
    settings.prompt.check()?;
    for text in settings.prompt.system.iter_mut().chain(&mut settings.prompt.append) {
        *text = redactor.redact(text).into_owned();
    }
    if settings.context.is_some() {
        return Ok(());
    }
    let instructions = Instructions::find(app, &settings.root)?;
    instructions.report(app);
    let facts = describe(&settings.root, shell).await;
    let context = [instructions.text(), facts].into_iter().filter(|part| !part.is_empty());
    let context = context.collect::<Vec<_>>().join("\n\n");
    settings.context = Some(redactor.redact(&context).into_owned());
    Ok(())
}

/// Composes the system prompt from stored settings alone, so that its bytes do not change during a run.
pub(crate) fn compose_prompt(root: &Path, settings: &RunSettings) -> String {
    let prompt = &settings.prompt;
    let base = prompt.system.clone().unwrap_or_else(|| format_built_in(root, settings));
    let parts = std::iter::once(base).chain(prompt.append.iter().cloned()).chain(settings.context.clone());
    parts.collect::<Vec<_>>().join("\n\n")
}

fn format_built_in(root: &Path, settings: &RunSettings) -> String {
    let done = match settings.preset {
        // A mode of work has `attempt_completion` in every preset.
        ToolPreset::Minimal if settings.offering.mode.is_none() => {
            "When the task is done, say so in words without calling a tool."
        }
        _ => "When the task is done and checked, call attempt_completion, alone.",
    };
    format!(
        "You are a careful coding agent working in the folder {}. All paths are relative to it; nothing outside \
         can be touched. Look before you change, change as little as the task needs, and check what you changed \
         by running it where that is possible. A human may have to approve a call; if one is denied, do not \
         try to achieve the same effect in another way. {done}",
        root.display()
    )
}
