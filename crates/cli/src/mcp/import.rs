//! `windlass mcp import`: imports servers from the configurations of other clients.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use toml_edit::{DocumentMut, Item, Table};
use windlass_sandbox::{SettingsOwner, read_settings};

use super::config;
use super::entry::Entry;
use super::foreign::{self, Import};
use crate::arguments::McpImport;
use crate::kept_file::change_settings;
use crate::{input, output};

/// Name of the table of servers.
const SERVERS: &str = "mcp_servers";

pub(crate) fn import(arguments: &McpImport) -> anyhow::Result<ExitCode> {
    let text = input::text(&arguments.file)?;
    let import = foreign::read(&text, arguments.with_secrets)
        .with_context(|| format!("{} cannot be imported", arguments.file.display()))?;
    for note in &import.notes {
        output::note(note);
    }
    if import.entries.is_empty() {
        output::note("there is no server in it");
        return Ok(ExitCode::FAILURE);
    }
    if !arguments.write {
        output::print(&toml_of(&import.entries)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    write(&import, arguments.force)?;
    Ok(ExitCode::SUCCESS)
}

fn toml_of(entries: &BTreeMap<String, Entry>) -> anyhow::Result<String> {
    let servers = BTreeMap::from([(SERVERS, entries)]);
    toml::to_string(&servers).context("the entries do not become TOML")
}

/// Adds the entries to the user's file with an atomic write. Comments and other content are kept.
fn write(import: &Import, force: bool) -> anyhow::Result<()> {
    let file = config::user_file().context("no place for settings: set WINDLASS_CONFIG_DIR or HOME")?;
    change_settings(&file, |real| changed(real, import, force))?;
    output::print(&format!("{} has: {}\n", file.display(), names(import)))
}

/// Returns the text of the user's file with the entries added.
fn changed(file: &Path, import: &Import, force: bool) -> anyhow::Result<String> {
    let refused = || format!("{} is refused", file.display());
    let before = read_settings(file, SettingsOwner::User).with_context(refused)?.unwrap_or_default();
    let known = config::parse(&before).with_context(refused)?;
    let taken: Vec<&str> =
        import.entries.keys().filter(|name| known.contains_key(*name)).map(String::as_str).collect();
    anyhow::ensure!(
        taken.is_empty() || force,
        "{} has {} already; say --force to replace it",
        file.display(),
        taken.join(", ")
    );
    let mut document: DocumentMut = before.parse().with_context(refused)?;
    let mut added: DocumentMut = toml_of(&import.entries)?.parse()?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers =
        servers.as_table_mut().with_context(|| format!("`{SERVERS}` is no table")).with_context(refused)?;
    let new = added.get_mut(SERVERS).and_then(Item::as_table_mut).context("the entries are no table")?;
    for name in import.entries.keys() {
        if let Some(mut item) = new.remove(name) {
            // `toml_edit` orders tables by the positions in their old document. Without a position the table
            // is appended.
            if let Some(table) = item.as_table_mut() {
                table.set_position(None);
            }
            servers.insert(name, item);
        }
    }
    let text = document.to_string();
    config::parse(&text).context("the file would not be readable any more; nothing was written")?;
    Ok(text)
}

fn names(import: &Import) -> String {
    import.entries.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}
