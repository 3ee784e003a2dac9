//! Changes of the user's `config.toml`.

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike};
use windlass_sandbox::{SettingsOwner, read_settings};

use super::file::{ConfigFile, PROFILES, refuse_name};
use super::keys::ConfigKey;
use super::read::{USER_FILE, read_users};
use crate::app::App;
use crate::error::{Context as _, Result, bail, ensure};
use crate::storage::change_settings;

/// Returns the path of the user's file. The file may not exist.
///
/// # Errors
///
/// Fails if the environment names no folder of settings.
pub fn user_configuration_file(app: &App) -> Result<PathBuf> {
    app.settings_file(USER_FILE).context("no folder for settings: set WINDLASS_CONFIG_DIR or HOME")
}

/// Checks the user's file, for example after a person edited it. The MCP servers are not checked.
///
/// # Errors
///
/// Fails if the file is invalid.
pub fn check_configuration(app: &App) -> Result<()> {
    read_users(&user_configuration_file(app)?).map(drop)
}

/// Sets a value in the user's file, or removes it with `None`, with an atomic write. Keeps comments and the order of
/// the file, and creates the file if it does not exist. Returns its path.
///
/// # Errors
///
/// Fails, and changes nothing, if the setting is unknown, if the value does not fit, or if the file is invalid.
pub fn change_setting(app: &App, profile: Option<&str>, name: &str, words: Option<&str>) -> Result<PathBuf> {
    let Some(key) = ConfigKey::find(name) else {
        bail!(NotFound, "config.toml {}", refuse_name(name).unwrap_or_default());
    };
    let value = words.map(|words| key.kind.parse(words)).transpose();
    let value = value.with_context(|| format!("`{}` cannot be set to this value", key.name))?;
    let value = value.map(|value| value.to_toml()).transpose()?;
    let file = user_configuration_file(app)?;
    change_settings(&file, |real| edit(real, profile, key, value))?;
    Ok(file)
}

fn edit(
    file: &Path,
    profile: Option<&str>,
    key: &ConfigKey,
    value: Option<toml_edit::Value>,
) -> Result<String> {
    let refused = || format!("{} is refused", file.display());
    let before = read_settings(file, SettingsOwner::User).with_context(refused)?.unwrap_or_default();
    ConfigFile::parse(&before).with_context(refused)?;
    let mut document: DocumentMut = before.parse().with_context(refused)?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let (outer, name) =
        key.name.split_once('.').map_or((None, key.name), |(outer, name)| (Some(outer), name));
    let path = profile.map(|profile| [PROFILES, profile]).into_iter().flatten().chain(outer);
    for (depth, part) in path.enumerate() {
        let is_profiles = profile.is_some() && depth == 0;
        if value.is_none() && !table.contains_key(part) {
            return Ok(before);
        }
        table = enter(table, part, is_profiles)?;
    }
    match value {
        Some(value) => set(table, name, value),
        None => drop(table.remove(&find_written_name(table, name))),
    }
    let text = document.to_string();
    ConfigFile::parse(&text).context("the file would not be valid; nothing was written")?;
    ensure!(text.parse::<toml::Table>().is_ok(), Invalid, "the file would not be TOML; nothing was written");
    Ok(text)
}

/// Returns a table inside a table, and creates it if it is missing.
fn enter<'a>(table: &'a mut dyn TableLike, name: &str, is_implicit: bool) -> Result<&'a mut dyn TableLike> {
    let item = table.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(is_implicit);
        Item::Table(table)
    });
    item.as_table_like_mut().with_context(|| format!("`{name}` is not a table"))
}

/// Replaces a value, and keeps the spaces and the comment around the old one.
fn set(table: &mut dyn TableLike, name: &str, mut value: toml_edit::Value) {
    let name = find_written_name(table, name);
    match table.get_mut(&name).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(&name, Item::Value(value))),
    }
}

/// Returns the name as the file writes it: with hyphens if the file has them.
fn find_written_name(table: &dyn TableLike, name: &str) -> String {
    let hyphens = name.replace('_', "-");
    if table.contains_key(&hyphens) { hyphens } else { name.to_owned() }
}
