//! The content of one `config.toml`, without its MCP servers.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::keys::{ConfigKey, NOTIFY};
use super::value::{ConfigValue, ValueKind};
use crate::error::{Context as _, Result, bail, ensure};

/// Table of MCP servers, which the module of the servers reads.
const SERVERS: &str = "mcp_servers";
/// Table of profiles: settings that count if the profile is chosen.
pub(super) const PROFILES: &str = "profiles";
/// Table of providers, with the command that prints a key.
const PROVIDERS: &str = "providers";
/// Key of a provider with the command.
const KEY_COMMAND: &str = "key_command";
/// Settings that a profile cannot have: they count for all runs of the user.
const NOT_IN_PROFILES: [&str; 6] = [
    "profile",
    "learning.enabled",
    "hooks.may_permit",
    "hooks.claude_settings",
    "notify.command",
    "notify.webhook",
];

/// Maximum number of profiles, and of providers with a command.
const MAX_TABLES: usize = 100;

/// Values by the names of their settings.
pub(super) type Values = BTreeMap<&'static str, ConfigValue>;

/// The settings of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) values: Values,
    pub(super) profiles: BTreeMap<String, Values>,
    /// Commands that print the keys of providers.
    pub(super) key_commands: BTreeMap<String, Vec<String>>,
}

impl ConfigFile {
    /// Reads the settings of a file. Ignores the MCP servers.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let table: Table = text.parse()?;
        Self::read(&table)
    }

    fn read(table: &Table) -> Result<Self> {
        let mut file = Self::default();
        let values =
            table.iter().filter(|(name, _)| ![SERVERS, PROFILES, PROVIDERS].contains(&name.as_str()));
        file.values = read_values("", values)?;
        for (name, value) in read_tables(table, PROFILES)? {
            let place = format!("[{PROFILES}.{name}]");
            let values = read_values(&place, value)?;
            let refused = NOT_IN_PROFILES.iter().find(|name| values.contains_key(**name));
            ensure!(
                refused.is_none(),
                Invalid,
                "{place} cannot set `{}`",
                refused.copied().unwrap_or_default()
            );
            file.profiles.insert(name.clone(), values);
        }
        for (name, value) in read_tables(table, PROVIDERS)? {
            let place = format!("[{PROVIDERS}.{name}]");
            for (key, value) in value {
                ensure!(
                    plain(key) == KEY_COMMAND,
                    Invalid,
                    "{place} has no key `{key}`; the key is {KEY_COMMAND}"
                );
                let command = ValueKind::List.read(value).with_context(|| format!("`{key}` of {place}"))?;
                ensure!(!command.as_list().is_empty(), Invalid, "`{key}` of {place} names no program");
                file.key_commands.insert(name.clone(), command.as_list().to_vec());
            }
        }
        Ok(file)
    }
}

/// Checks everything in a configuration but its MCP servers.
pub(crate) fn check_table(table: &Table) -> Result<()> {
    ConfigFile::read(table).map(drop)
}

/// Returns the tables in a table of tables.
fn read_tables<'a>(table: &'a Table, name: &str) -> Result<Vec<(&'a String, &'a Table)>> {
    let Some(value) = table.get(name) else { return Ok(Vec::new()) };
    let tables = value.as_table().with_context(|| format!("`{name}` is not a table"))?;
    ensure!(tables.len() <= MAX_TABLES, Invalid, "`{name}` has more than {MAX_TABLES} entries");
    let read = |(name, value): (&'a String, &'a Value)| {
        let table = value.as_table().with_context(|| format!("`{name}` is not a table"))?;
        Ok((name, table))
    };
    tables.iter().map(read).collect()
}

/// Reads the settings of a table.
fn read_values<'a>(
    place: &str,
    entries: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> Result<Values> {
    let mut values = Values::new();
    for (name, value) in entries {
        let name = plain(name);
        match (ConfigKey::find(&name), value) {
            // `notify` was a list before it was a table.
            (Some(key), value) if name != NOTIFY || !value.is_table() => add(place, &mut values, key, value)?,
            (_, Value::Table(table)) if is_prefix(&name) => {
                for (inner, value) in table {
                    let name = format!("{name}.{}", plain(inner));
                    match ConfigKey::find(&name) {
                        Some(key) => add(place, &mut values, key, value)?,
                        None => return Err(unknown(place, &name)),
                    }
                }
            }
            (_, _) => return Err(unknown(place, &name)),
        }
    }
    Ok(values)
}

fn add(place: &str, values: &mut Values, key: &'static ConfigKey, value: &Value) -> Result<()> {
    let value = key.kind.read(value).with_context(|| format!("`{}`{}", key.name, describe(place)))?;
    ensure!(
        values.insert(key.name, value).is_none(),
        Invalid,
        "`{}`{} is set twice",
        key.name,
        describe(place)
    );
    Ok(())
}

/// Returns true if settings have this name before the dot.
fn is_prefix(name: &str) -> bool {
    let prefix = |key: &ConfigKey| key.name.split_once('.').is_some_and(|(table, _)| table == name);
    ConfigKey::all().iter().any(prefix)
}

fn plain(name: &str) -> String {
    name.replace('-', "_")
}

fn describe(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" of {place}") }
}

/// Returns the error for an unknown setting: a misspelled name must not be ignored silently.
fn unknown(place: &str, name: &str) -> crate::error::AppError {
    let place = if place.is_empty() { "it" } else { place };
    let error = refuse_name(name).map(|words| format!("{place} {words}"));
    crate::error::AppError::new(crate::error::ErrorKind::Invalid, error.unwrap_or_default())
}

/// Returns the error message for a name that is not a setting, with the nearest setting if one is similar.
pub(super) fn refuse_name(name: &str) -> Option<String> {
    if ConfigKey::find(name).is_some() {
        return None;
    }
    let mut names: Vec<&str> = ConfigKey::all().iter().map(|key| key.name).collect();
    names.extend([SERVERS, PROFILES, PROVIDERS]);
    Some(match nearest_word(name, &names) {
        Some(nearest) => format!("has no key `{name}`; did you mean `{nearest}`?"),
        None => format!("has no key `{name}`; the keys are {}", names.join(", ")),
    })
}

/// Returns the word with the highest Jaro-Winkler similarity to a misspelled one, if it is above 0.82.
pub(crate) fn nearest_word<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    let plain = word.replace('-', "_").to_lowercase();
    let nearest = words.iter().max_by(|one, other| {
        strsim::jaro_winkler(&plain, one).total_cmp(&strsim::jaro_winkler(&plain, other))
    })?;
    (strsim::jaro_winkler(&plain, nearest) > 0.82).then_some(*nearest)
}

/// Returns the profile of a name, or an error that lists the profiles.
pub(super) fn find_profile<'a>(profiles: &'a BTreeMap<String, Values>, name: &str) -> Result<&'a Values> {
    match profiles.get(name) {
        Some(values) => Ok(values),
        None if profiles.is_empty() => {
            bail!(
                NotFound,
                "the profile {name} does not exist; `[{PROFILES}.{name}]` of config.toml defines it"
            )
        }
        None => {
            let names: Vec<&str> = profiles.keys().map(String::as_str).collect();
            bail!(NotFound, "the profile {name} does not exist; the profiles are {}", names.join(", "))
        }
    }
}
