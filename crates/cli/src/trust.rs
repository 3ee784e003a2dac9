//! `windlass trust`: trust in folders, whose files then become instructions and programs.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_app::instructions::{InstructionFile, Instructions};
use windlass_app::trust::{
    ProjectFile, ProjectFileKind, TrustedFolders, list_project_files, trust_folder, withdraw_trust,
};
use windlass_app::{App, resolve_root};
use windlass_hitl::display_safe;
use windlass_text::count_noun;

use crate::arguments::{Trust, TrustCommand};
use crate::output;

pub(crate) fn trust(arguments: &Trust, app: &App) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        None => {
            let files = trust_folder(app, &arguments.path)?;
            show_files(&files, arguments.json)?;
            show_hidden(app, &arguments.path)?;
            if !arguments.json {
                let path = resolve_root(&arguments.path)?;
                output::note(&format!(
                    "{} is trusted; take it back with: windlass trust remove",
                    path.display()
                ));
            }
        }
        Some(TrustCommand::Show { path, json }) => show(app, path, *json)?,
        Some(TrustCommand::List { json }) => {
            let trusted = TrustedFolders::load(app);
            for folder in trusted.list() {
                if *json {
                    output::line(&json!({ "folder": folder }))?;
                } else {
                    output::print(&format!("{}\n", display_safe(&folder.to_string_lossy())))?;
                }
            }
            if trusted.list().next().is_none() && !json {
                output::note("no folder is trusted");
            }
        }
        Some(TrustCommand::Remove { path }) => {
            anyhow::ensure!(
                withdraw_trust(app, path)?,
                "{} is not in the list of trusted folders",
                path.display()
            );
            output::note(&format!("{} is not trusted any more", path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(app: &App, path: &Path, json: bool) -> anyhow::Result<()> {
    let folder = resolve_root(path)?;
    let files = list_project_files(&folder);
    show_files(&files, json)?;
    show_hidden(app, &folder)?;
    if !json {
        let state = if TrustedFolders::load(app).covers(&folder) { "is trusted" } else { "is not trusted" };
        output::note(&format!("{} {state}", folder.display()));
    }
    Ok(())
}

fn show_files(files: &[ProjectFile], json: bool) -> anyhow::Result<()> {
    for file in files {
        let kind = match file.kind {
            ProjectFileKind::Instructions => "instructions",
            ProjectFileKind::Hooks => "hooks",
            ProjectFileKind::HookScript => "script of a hook",
            _ => "file",
        };
        if json {
            output::line(
                &json!({ "path": file.path, "kind": kind, "bytes": file.bytes, "sha256": file.digest }),
            )?;
        } else {
            let path = display_safe(&file.path.to_string_lossy());
            output::print(&format!("{kind}: {path} ({})\n", count_noun(file.bytes, "byte")))?;
        }
    }
    if files.is_empty() && !json {
        output::note("the folder has no instruction files and no hooks");
    }
    Ok(())
}

/// Warns about text that a screen does not show and the model would read.
fn show_hidden(app: &App, folder: &Path) -> anyhow::Result<()> {
    let hidden = |file: &&InstructionFile| file.hidden_lines > 0;
    for file in Instructions::find(app, folder)?.files().iter().filter(hidden) {
        output::note(&format!(
            "warning: {} has characters that a screen does not show, in {}",
            file.path.display(),
            count_noun(file.hidden_lines, "line")
        ));
    }
    Ok(())
}
