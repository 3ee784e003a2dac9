//! `windlass modes`: lists and shows the modes of work.

use std::process::ExitCode;

use serde_json::{Value, json};
use windlass_app::assembly::{find_mode, load_modes};
use windlass_app::{App, resolve_root};
use windlass_toolbox::WorkMode;

use crate::arguments::{Modes, ModesCommand};
use crate::output;

pub(crate) fn modes(arguments: &Modes, app: &App) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ModesCommand::List { root, json } => {
            for mode in load_modes(app, &resolve_root(root)?)?.iter() {
                if *json {
                    output::line(&describe(mode))?;
                } else {
                    output::print(&format!("{:<16} {}\n", mode.slug, mode.when_to_use))?;
                }
            }
        }
        ModesCommand::Show { mode, root, json } => {
            let modes = load_modes(app, &resolve_root(root)?)?;
            let mode = find_mode(&modes, mode)?;
            if *json {
                output::line(&describe(mode))?;
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

fn describe(mode: &WorkMode) -> Value {
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
