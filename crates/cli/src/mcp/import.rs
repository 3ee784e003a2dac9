//! `windlass mcp import`: imports servers from the configurations of other clients.

use std::process::ExitCode;

use anyhow::Context as _;
use windlass_app::App;
use windlass_app::mcp::{add_to_user_config, format_config, parse_foreign_config};

use crate::arguments::McpImport;
use crate::{input, output};

pub(crate) fn import(arguments: &McpImport, app: &App) -> anyhow::Result<ExitCode> {
    let text = input::text(&arguments.file)?;
    let import = parse_foreign_config(&text, arguments.with_secrets)
        .with_context(|| format!("{} cannot be imported", arguments.file.display()))?;
    for note in &import.notes {
        output::note(note);
    }
    if import.entries.is_empty() {
        output::note("the file contains no MCP server");
        return Ok(ExitCode::FAILURE);
    }
    if !arguments.write {
        output::print(&format_config(&import.entries)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = add_to_user_config(app, &import.entries, arguments.force)?;
    let names: Vec<&str> = import.entries.keys().map(String::as_str).collect();
    output::print(&format!("{} has: {}\n", file.display(), names.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
