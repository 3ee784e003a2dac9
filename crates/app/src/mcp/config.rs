//! Configured MCP servers of the user and of the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize as _;
use toml::{Table, Value};
use windlass_hitl::display_safe;
use windlass_sandbox::{SettingsOwner, read_settings};

use super::entry::{Entry, KEYS, TOOL_KEYS};
use super::trust::Trusted;
use crate::{complaint, output, policies};

/// Configuration files: the user's in the folder of settings, the project's below its root.
pub(crate) const USER_CONFIG: &str = "config.toml";
pub(crate) const PROJECT_CONFIG: &str = ".windlass/config.toml";

/// Tables of the file.
const SERVERS: &str = "mcp_servers";
const LEARNING: &str = "learning";
/// Keys of `[learning]`.
const LEARNING_KEYS: [&str; 1] = ["enabled"];

/// Owner of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    User,
    /// The project. A stranger may have written its file, so the entry starts no server without the user's
    /// trust (RULES H11).
    Project,
}

/// A configured server.
#[derive(Clone, Debug)]
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) entry: Entry,
    pub(crate) owner: Owner,
    /// Reason why the server is not started: the user does not trust its present entry and files. `None` if
    /// it may start.
    pub(crate) refusal: Option<String>,
}

impl Configured {
    /// Returns true if the server may be started: the user configured it or trusts its present entry and
    /// files.
    pub(crate) fn is_trusted(&self) -> bool {
        self.refusal.is_none()
    }
}

/// Returns the configured servers of a folder, sorted by name. An invalid file of the project is skipped with
/// a warning; an invalid file of the user is an error, because the user can correct it.
pub(crate) fn load(root: &Path) -> anyhow::Result<Vec<Configured>> {
    let mut servers = BTreeMap::new();
    if let Some(file) = user_file() {
        for (name, entry) in read(&file, SettingsOwner::User)?.servers {
            let server = Configured { name: name.clone(), entry, owner: Owner::User, refusal: None };
            servers.insert(name, server);
        }
    }
    let file = root.join(PROJECT_CONFIG);
    match read(&file, SettingsOwner::Project { root }) {
        Ok(config) => add_projects(&mut servers, config.servers, root)?,
        Err(error) => output::note(&format!("warning: {}; it is left out", complaint::one_line(&error))),
    }
    Ok(servers.into_values().collect())
}

/// Returns the path of the user's file, if there is a folder of settings.
pub(crate) fn user_file() -> Option<PathBuf> {
    policies::settings().map(|folder| folder.join(USER_CONFIG))
}

fn add_projects(
    servers: &mut BTreeMap<String, Configured>,
    entries: BTreeMap<String, Entry>,
    root: &Path,
) -> anyhow::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let trusted = Trusted::load()?;
    for (name, entry) in entries {
        if servers.contains_key(&name) {
            output::note(&format!(
                "the project's MCP server {} is left out: yours of that name counts",
                display_safe(&name)
            ));
            continue;
        }
        let refusal = trusted.refusal(&name, &entry, root);
        servers.insert(name.clone(), Configured { name, entry, owner: Owner::Project, refusal });
    }
    Ok(())
}

/// The content of a `config.toml`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) servers: BTreeMap<String, Entry>,
    /// True if answers to questions are learned. Only the user's file may set it.
    pub(crate) learns: bool,
}

/// Returns true if the user's file enables learning.
pub(crate) fn learns() -> anyhow::Result<bool> {
    let Some(file) = user_file() else { return Ok(false) };
    Ok(read(&file, SettingsOwner::User)?.learns)
}

/// Reads a configuration file. A missing file gives an empty configuration.
fn read(file: &Path, owner: SettingsOwner<'_>) -> anyhow::Result<Config> {
    let refused = || format!("{} is refused", file.display());
    let Some(text) = read_settings(file, owner).with_context(refused)? else { return Ok(Config::default()) };
    if owner == SettingsOwner::User {
        policies::trust_file(file).with_context(refused)?;
    }
    let config = parse_whole(&text).with_context(refused)?;
    let may_learn = owner == SettingsOwner::User || !config.learns;
    anyhow::ensure!(
        may_learn,
        "{} is refused: only your own file can switch `[{LEARNING}]` on",
        file.display()
    );
    Ok(config)
}

/// Parses the server entries of a configuration text.
pub(crate) fn parse(text: &str) -> anyhow::Result<BTreeMap<String, Entry>> {
    Ok(parse_whole(text)?.servers)
}

fn parse_whole(text: &str) -> anyhow::Result<Config> {
    let table: Table = text.parse()?;
    known("", &table, &[SERVERS, LEARNING])?;
    let mut config = Config::default();
    if let Some(servers) = table.get(SERVERS) {
        let servers = servers.as_table().with_context(|| format!("`{SERVERS}` is no table"))?;
        let entry = |(name, value): (&String, &Value)| Ok((name.clone(), one(name, value)?));
        config.servers = servers.iter().map(entry).collect::<anyhow::Result<_>>()?;
    }
    if let Some(learning) = table.get(LEARNING) {
        let learning = learning.as_table().with_context(|| format!("`{LEARNING}` is not a table"))?;
        known(&format!("[{LEARNING}]"), learning, &LEARNING_KEYS)?;
        if let Some(enabled) = learning.get("enabled") {
            config.learns =
                enabled.as_bool().context("`enabled` of `[learning]` is neither true nor false")?;
        }
    }
    Ok(config)
}

fn one(name: &str, value: &Value) -> anyhow::Result<Entry> {
    let place = format!("[{SERVERS}.{name}]");
    let table = value.as_table().with_context(|| format!("{place} is no table"))?;
    known(&place, table, &KEYS)?;
    for (tool, value) in table.get("tools").and_then(Value::as_table).into_iter().flatten() {
        if let Some(table) = value.as_table() {
            known(&format!("[{SERVERS}.{name}.tools.{tool}]"), table, &TOOL_KEYS)?;
        }
    }
    let entry = Entry::deserialize(value.clone()).with_context(|| format!("{place} cannot be read"))?;
    entry.check().with_context(|| place.clone())?;
    Ok(entry)
}

/// Fails if a table has an unknown key: a misspelled key must not be ignored silently.
fn known(place: &str, table: &Table, keys: &[&str]) -> anyhow::Result<()> {
    let Some(unknown) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let place = if place.is_empty() { "it" } else { place };
    match near(unknown, keys) {
        Some(key) => anyhow::bail!("{place} has no key `{unknown}`; did you mean `{key}`?"),
        None => anyhow::bail!("{place} has no key `{unknown}`; the keys are {}", keys.join(", ")),
    }
}

/// Returns the word with the highest Jaro-Winkler similarity to a misspelled one, if it is above 0.82.
pub(crate) fn near<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    let plain = word.replace('-', "_").to_lowercase();
    let nearest = words.iter().max_by(|one, other| {
        strsim::jaro_winkler(&plain, one).total_cmp(&strsim::jaro_winkler(&plain, other))
    })?;
    (strsim::jaro_winkler(&plain, nearest) > 0.82).then_some(*nearest)
}

#[cfg(test)]
mod tests;
