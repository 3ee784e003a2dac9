//! Adds servers to the user's configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table};
use windlass_sandbox::{SettingsOwner, read_settings};

use super::config;
use super::entry::ServerEntry;
use crate::app::App;
use crate::error::{Context as _, Remedy, Result, ensure};
use crate::storage::change_settings;

/// Name of the table of servers.
const SERVERS: &str = "mcp_servers";

/// Formats entries as the content of a configuration file.
///
/// # Errors
///
/// Fails if an entry does not become TOML.
pub fn format_config(entries: &BTreeMap<String, ServerEntry>) -> Result<String> {
    let servers = BTreeMap::from([(SERVERS, entries)]);
    toml::to_string(&servers).context("the entries cannot be serialized as TOML")
}

/// Adds entries to the user's file with an atomic write, and returns its path. Comments and other content are
/// kept.
///
/// # Errors
///
/// Fails if the file is invalid, or if it has one of the servers already and `is_forced` is not set.
pub fn add_to_user_config(
    app: &App,
    entries: &BTreeMap<String, ServerEntry>,
    is_forced: bool,
) -> Result<PathBuf> {
    let file = config::user_file(app).context("no folder for settings: set WINDLASS_CONFIG_DIR or HOME")?;
    change_settings(&file, |real| add_entries(real, entries, is_forced))?;
    Ok(file)
}

/// Removes a server from the user's file with an atomic write, and returns the path of the file. Comments and other
/// content are kept.
///
/// # Errors
///
/// Fails if the file is invalid, or if it does not have the server.
pub fn remove_from_user_config(app: &App, name: &str) -> Result<PathBuf> {
    let file = config::user_file(app).context("no folder for settings: set WINDLASS_CONFIG_DIR or HOME")?;
    change_settings(&file, |real| remove_entry(real, name))?;
    Ok(file)
}

/// Returns the text of the user's file without the entry.
fn remove_entry(file: &Path, name: &str) -> Result<String> {
    let refused = || format!("{} is refused", file.display());
    let before = read_settings(file, SettingsOwner::User).with_context(refused)?.unwrap_or_default();
    config::parse(&before).with_context(refused)?;
    let mut document: DocumentMut = before.parse().with_context(refused)?;
    let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
    let removed = servers.and_then(|servers| servers.remove(name));
    ensure!(removed.is_some(), NotFound, "{} has no server {name}", file.display());
    Ok(document.to_string())
}

/// Returns the text of the user's file with the entries added.
fn add_entries(file: &Path, entries: &BTreeMap<String, ServerEntry>, is_forced: bool) -> Result<String> {
    let refused = || format!("{} is refused", file.display());
    let before = read_settings(file, SettingsOwner::User).with_context(refused)?.unwrap_or_default();
    let known = config::parse(&before).with_context(refused)?;
    let taken: Vec<&str> =
        entries.keys().filter(|name| known.contains_key(*name)).map(String::as_str).collect();
    ensure!(
        taken.is_empty() || is_forced,
        Conflict,
        remedy: Remedy::Replace,
        "{} has {} already",
        file.display(),
        taken.join(", ")
    );
    let mut document: DocumentMut = before.parse().with_context(refused)?;
    let mut added: DocumentMut = format_config(entries)?.parse()?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers
        .as_table_mut()
        .with_context(|| format!("`{SERVERS}` is not a table"))
        .with_context(refused)?;
    let new = added.get_mut(SERVERS).and_then(Item::as_table_mut).context("the entries are not a table")?;
    for name in entries.keys() {
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
    config::parse(&text).context("the file would no longer be valid; nothing was written")?;
    Ok(text)
}
