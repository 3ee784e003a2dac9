//! Configured MCP servers of the user and of the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use windlass_hitl::display_safe;
use windlass_sandbox::{SettingsOwner, read_settings};

use super::entry::{KEYS, ServerEntry, TOOL_KEYS};
use super::trust::TrustStore;
use crate::app::App;
use crate::configuration::{check_table, nearest_word};
use crate::error::{Context as _, Result, bail, ensure, one_line};
use crate::policies::check_owner;

/// Configuration files: the user's in the folder of settings, the project's below its root.
pub(crate) const USER_CONFIG: &str = "config.toml";
pub(crate) const PROJECT_CONFIG: &str = ".windlass/config.toml";

/// Tables of the file.
const SERVERS: &str = "mcp_servers";
const LEARNING: &str = "learning";

/// Maximum length of a configuration file, in bytes. Parsing takes about a hundred times that memory.
const MAX_CONFIG_BYTES: usize = 256 * 1024;
/// Maximum number of servers in one file. The trust of each one is checked against the content of its files.
pub(super) const MAX_SERVERS: usize = 256;

/// Owner of the configuration file that names a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "there are two configuration files")]
pub enum ServerOwner {
    /// The user.
    User,
    /// The project. A stranger may have written its file, so the entry starts no server without the user's
    /// trust (RULES H11).
    Project,
}

/// A configured server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfiguredServer {
    /// Name of the server in the file.
    pub name: String,
    /// The entry in the file.
    pub entry: ServerEntry,
    /// Owner of the file.
    pub owner: ServerOwner,
    /// Reason why the server is not started: the user does not trust its present entry and files. `None` if
    /// it may start.
    pub refusal: Option<String>,
}

impl ConfiguredServer {
    /// Creates a server that the user's program adds to a session, such as an editor. Its entry is trusted like one of
    /// the user's file, and is not stored.
    ///
    /// # Errors
    ///
    /// Fails if the entry has a value or a combination of keys that an entry of a file cannot have.
    pub fn for_user(name: impl Into<String>, entry: ServerEntry) -> Result<Self> {
        let name = name.into();
        entry.check().with_context(|| format!("the MCP server {} cannot be used", display_safe(&name)))?;
        Ok(Self { name, entry, owner: ServerOwner::User, refusal: None })
    }

    /// Returns true if the server may be started: the user configured it or trusts its present entry and
    /// files.
    pub fn is_trusted(&self) -> bool {
        self.refusal.is_none()
    }
}

/// Returns the configured servers of a folder, sorted by name. An invalid file of the project is skipped with
/// a warning.
///
/// # Errors
///
/// Fails if the user's file is invalid, because the user can correct it.
pub fn load_servers(app: &App, root: &Path) -> Result<Vec<ConfiguredServer>> {
    let mut servers = BTreeMap::new();
    if let Some(file) = user_file(app) {
        for (name, entry) in read(&file, SettingsOwner::User)?.servers {
            let server =
                ConfiguredServer { name: name.clone(), entry, owner: ServerOwner::User, refusal: None };
            servers.insert(name, server);
        }
    }
    let file = root.join(PROJECT_CONFIG);
    match read(&file, SettingsOwner::Project { root }) {
        Ok(config) => add_projects(app, &mut servers, config.servers, root)?,
        Err(error) => app.warn(format!("{}; it is left out", one_line(&error))),
    }
    Ok(servers.into_values().collect())
}

/// Returns the path of the user's file, if there is a folder of settings.
pub(crate) fn user_file(app: &App) -> Option<PathBuf> {
    app.settings_file(USER_CONFIG)
}

fn add_projects(
    app: &App,
    servers: &mut BTreeMap<String, ConfiguredServer>,
    entries: BTreeMap<String, ServerEntry>,
    root: &Path,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let trusted = TrustStore::load(app)?;
    for (name, entry) in entries {
        if servers.contains_key(&name) {
            app.inform(format!(
                "the project's MCP server {} is left out: your server of the same name takes precedence",
                display_safe(&name)
            ));
            continue;
        }
        let refusal = trusted.refusal(&name, &entry, root);
        let owner = ServerOwner::Project;
        servers.insert(name.clone(), ConfiguredServer { name, entry, owner, refusal });
    }
    Ok(())
}

/// The content of a `config.toml`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) servers: BTreeMap<String, ServerEntry>,
    /// True if answers to questions are learned. Only the user's file may set it.
    pub(crate) learns: bool,
}

/// Returns true if the user's file enables learning from answers for all runs.
///
/// # Errors
///
/// Fails if the user's file is invalid.
pub fn is_learning_enabled(app: &App) -> Result<bool> {
    let Some(file) = user_file(app) else { return Ok(false) };
    Ok(read(&file, SettingsOwner::User)?.learns)
}

/// Reads a configuration file. A missing file gives an empty configuration.
fn read(file: &Path, owner: SettingsOwner<'_>) -> Result<Config> {
    let refused = || format!("{} is refused", file.display());
    let Some(text) = read_settings(file, owner).with_context(refused)? else { return Ok(Config::default()) };
    if owner == SettingsOwner::User {
        check_owner(file).with_context(refused)?;
    }
    let config = parse_whole(&text).with_context(refused)?;
    let may_learn = owner == SettingsOwner::User || !config.learns;
    ensure!(
        may_learn,
        Invalid,
        "{} is refused: only your own file can switch `[{LEARNING}]` on",
        file.display()
    );
    Ok(config)
}

/// Parses the server entries of a configuration text.
pub(crate) fn parse(text: &str) -> Result<BTreeMap<String, ServerEntry>> {
    Ok(parse_whole(text)?.servers)
}

fn parse_whole(text: &str) -> Result<Config> {
    let bytes = text.len();
    ensure!(
        bytes <= MAX_CONFIG_BYTES,
        Invalid,
        "it has {bytes} bytes, at most {MAX_CONFIG_BYTES} are \
         allowed"
    );
    let table: Table = text.parse()?;
    check_table(&table)?;
    let mut config = Config::default();
    if let Some(servers) = table.get(SERVERS) {
        let servers = servers.as_table().with_context(|| format!("`{SERVERS}` is not a table"))?;
        let count = servers.len();
        ensure!(count <= MAX_SERVERS, Invalid, "it has {count} servers, at most {MAX_SERVERS} are allowed");
        let entry = |(name, value): (&String, &Value)| Ok((name.clone(), one(name, value)?));
        config.servers = servers.iter().map(entry).collect::<Result<_>>()?;
    }
    let learning = table.get(LEARNING).and_then(|learning| learning.get("enabled"));
    config.learns = learning.and_then(Value::as_bool).unwrap_or(false);
    Ok(config)
}

fn one(name: &str, value: &Value) -> Result<ServerEntry> {
    let place = format!("[{SERVERS}.{name}]");
    let table = value.as_table().with_context(|| format!("{place} is not a table"))?;
    check_keys(&place, table, &KEYS)?;
    for (tool, value) in table.get("tools").and_then(Value::as_table).into_iter().flatten() {
        if let Some(table) = value.as_table() {
            check_keys(&format!("[{SERVERS}.{name}.tools.{tool}]"), table, &TOOL_KEYS)?;
        }
    }
    let entry = ServerEntry::deserialize(value.clone()).with_context(|| format!("{place} cannot be read"))?;
    entry.check().with_context(|| place.clone())?;
    Ok(entry)
}

/// Fails if a table has an unknown key: a misspelled key must not be ignored silently.
fn check_keys(place: &str, table: &Table, keys: &[&str]) -> Result<()> {
    let Some(unknown) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let place = if place.is_empty() { "it" } else { place };
    match nearest_word(unknown, keys) {
        Some(key) => bail!(Invalid, "{place} has no key `{unknown}`; did you mean `{key}`?"),
        None => bail!(Invalid, "{place} has no key `{unknown}`; the keys are {}", keys.join(", ")),
    }
}

#[cfg(test)]
mod tests;
