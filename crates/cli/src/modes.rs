//! `windlass modes`: lists and shows the modes of work.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use serde_json::{Value, json};
use windlass_sandbox::{SettingsOwner, read_settings};
use windlass_toolbox::{ModeOwner, WorkMode, WorkModes};

use crate::arguments::{AutonomyName, Modes, ModesCommand};
use crate::{complaint, output, policies, setup};

/// Files of modes: the user's in the folder of settings, the project's below its root.
const USER_MODES: &str = "modes.toml";
const PROJECT_MODES: &str = ".windlass/modes.toml";

pub(crate) fn modes(arguments: &Modes) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ModesCommand::List { root, json } => {
            for mode in load(&setup::root(root)?)?.iter() {
                if *json {
                    output::line(&described(mode))?;
                } else {
                    output::print(&format!("{:<16} {}\n", mode.slug, mode.when_to_use))?;
                }
            }
        }
        ModesCommand::Show { mode, root, json } => {
            let modes = load(&setup::root(root)?)?;
            let mode = find(&modes, mode)?;
            if *json {
                output::line(&described(mode))?;
            } else {
                let groups: Vec<_> = mode
                    .groups()
                    .map(|(group, files)| match files {
                        Some(files) => format!("{group} ({files})"),
                        None => group.to_string(),
                    })
                    .collect();
                let groups = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
                output::print(&format!(
                    "{} ({})\n\n{}\n\ngroups: {groups}\n",
                    mode.name, mode.slug, mode.role
                ))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Loads all modes for a folder. An invalid file of the user is an error, because the user can correct it; an
/// invalid file of the project, which a stranger may have written, is skipped with a warning.
pub(crate) fn load(root: &Path) -> anyhow::Result<WorkModes> {
    let mut modes = WorkModes::builtin();
    if let Some(folder) = policies::settings() {
        modes = with_file(modes, &folder.join(USER_MODES), SettingsOwner::User)?;
    }
    match with_file(modes.clone(), &root.join(PROJECT_MODES), SettingsOwner::Project { root }) {
        Ok(with) => Ok(with),
        Err(error) => {
            output::note(&format!("warning: {}; its modes are left out", complaint::one_line(&error)));
            Ok(modes)
        }
    }
}

/// Finds a mode by its slug.
pub(crate) fn find<'a>(modes: &'a WorkModes, slug: &str) -> anyhow::Result<&'a WorkMode> {
    let found = modes.find(slug).map(AsRef::as_ref);
    // Users confuse modes of work with levels of autonomy, so the error for such a name suggests
    // `--autonomy`.
    match AutonomyName::from_str(slug, true) {
        Ok(_) => {
            found.with_context(|| format!("how far a run goes without asking is said with --autonomy {slug}"))
        }
        Err(_) => Ok(found?),
    }
}

/// Adds the modes of a file, if it exists.
fn with_file(modes: WorkModes, file: &Path, owner: SettingsOwner<'_>) -> anyhow::Result<WorkModes> {
    let refused = || format!("the modes in {} are refused", file.display());
    let Some(text) = read_settings(file, owner).with_context(refused)? else { return Ok(modes) };
    let owner = if owner == SettingsOwner::User { ModeOwner::User } else { ModeOwner::Project };
    modes.with_file(&text, owner).with_context(refused)
}

fn described(mode: &WorkMode) -> Value {
    let groups: Vec<_> = mode
        .groups()
        .map(|(group, files)| {
            let (pattern, description) = (
                files.map(windlass_toolbox::FilePattern::as_str),
                files.and_then(|files| files.description()),
            );
            json!({ "group": group, "file_regex": pattern, "description": description })
        })
        .collect();
    json!({
        "slug": mode.slug, "name": mode.name, "role": mode.role, "when_to_use": mode.when_to_use, "groups": groups,
    })
}
