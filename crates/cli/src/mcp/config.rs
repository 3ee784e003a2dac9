//! The servers that are configured: the user's, and the project's.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::entry::{Entry, KEYS, TOOL_KEYS};
use super::trust::Trusted;
use crate::{output, policies};

/// The user's file, in the folder of settings, and the project's below its root.
pub(crate) const USER_CONFIG: &str = "config.toml";
pub(crate) const PROJECT_CONFIG: &str = ".windlass/config.toml";

/// The one table that there is so far.
const SERVERS: &str = "mcp_servers";

/// Whose configuration it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    User,
    /// The project's. A stranger may have written it, so that it starts nothing by itself (RULES H11).
    Project,
}

/// A server as it is configured.
#[derive(Clone, Debug)]
pub(crate) struct Configured {
    pub(crate) name: String,
    pub(crate) entry: Entry,
    pub(crate) owner: Owner,
    /// Whether the user has said yes to exactly this.
    pub(crate) is_trusted: bool,
}

/// The servers that are configured for a folder, by name. Where the project's file cannot be taken it is left out, and
/// said; the user's is there to be mended.
pub(crate) fn load(root: &Path) -> anyhow::Result<Vec<Configured>> {
    let mut servers = BTreeMap::new();
    if let Some(file) = user_file() {
        for (name, entry) in read(&file, Owner::User)? {
            let server = Configured { name: name.clone(), entry, owner: Owner::User, is_trusted: true };
            servers.insert(name, server);
        }
    }
    let file = root.join(PROJECT_CONFIG);
    match read(&file, Owner::Project) {
        Ok(entries) => add_projects(&mut servers, entries, root)?,
        Err(error) => output::note(&format!("warning: {error:#}; it is left out")),
    }
    Ok(servers.into_values().collect())
}

/// The user's own file, wherever her settings are.
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
            output::note(&format!("the project's MCP server {name} is left out: yours of that name counts"));
            continue;
        }
        let is_trusted = trusted.has(&entry.digest(&name, &root.display().to_string())?);
        servers.insert(name.clone(), Configured { name, entry, owner: Owner::Project, is_trusted });
    }
    Ok(())
}

/// The entries of a file; none if there is no file.
pub(crate) fn read(file: &Path, owner: Owner) -> anyhow::Result<BTreeMap<String, Entry>> {
    let refused = || format!("{} is refused", file.display());
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(refused),
    };
    if owner == Owner::User {
        policies::trust_file(file).with_context(refused)?;
    }
    parse(&text).with_context(refused)
}

/// The entries of a text.
pub(crate) fn parse(text: &str) -> anyhow::Result<BTreeMap<String, Entry>> {
    let table: Table = text.parse()?;
    known("", &table, &[SERVERS])?;
    let Some(servers) = table.get(SERVERS) else { return Ok(BTreeMap::new()) };
    let servers = servers.as_table().with_context(|| format!("`{SERVERS}` is no table"))?;
    let entry = |(name, value): (&String, &Value)| Ok((name.clone(), one(name, value)?));
    servers.iter().map(entry).collect()
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

/// Whether all keys of a table are known; a misspelt one must not be no key at all.
fn known(place: &str, table: &Table, keys: &[&str]) -> anyhow::Result<()> {
    let Some(unknown) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let place = if place.is_empty() { "it" } else { place };
    match near(unknown, keys) {
        Some(key) => anyhow::bail!("{place} has no key `{unknown}`; did you mean `{key}`?"),
        None => anyhow::bail!("{place} has no key `{unknown}`; the keys are {}", keys.join(", ")),
    }
}

/// What a misspelt word could have been.
pub(crate) fn near<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    let plain = word.replace('-', "_").to_lowercase();
    let nearest = words.iter().max_by(|one, other| {
        strsim::jaro_winkler(&plain, one).total_cmp(&strsim::jaro_winkler(&plain, other))
    })?;
    (strsim::jaro_winkler(&plain, nearest) > 0.82).then_some(*nearest)
}

#[cfg(test)]
mod tests;
