//! Keys of providers: from the environment, from a command of the user, and from sign-ins.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use windlass_client::{KeyUse, Vendor};

use super::key_command::{check_key, list_printed_keys, run_command};
use super::keyring;
use crate::app::App;
use crate::config::variable;
use crate::configuration::load_key_commands;
use crate::error::{Context as _, Result, ensure};
use crate::storage::{Format, StateFile};

/// File of stored keys in the state folder, which tools cannot reach.
const FILE: &str = "keys.json";

/// Maximum number of stored keys.
const MAX_KEYS: usize = 1_000;

/// The stored keys, by the names of providers.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredKeys {
    keys: BTreeMap<String, String>,
    /// The providers whose key is in the keyring.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    keyring: BTreeSet<String>,
}

impl StoredKeys {
    /// Returns true if a further provider has room.
    fn has_room(&self, provider: &str) -> bool {
        let count = self.keys.len().saturating_add(self.keyring.len());
        count < MAX_KEYS || self.keys.contains_key(provider) || self.keyring.contains(provider)
    }
}

const FORMAT: Format<'_, StoredKeys> = Format {
    empty: &StoredKeys::default,
    parse: &|text| {
        // The error of the parser could quote a key.
        let parsed = serde_json::from_str(text).ok();
        parsed.context("it is not a list of keys")
    },
    text: &|keys| Ok(serde_json::to_string_pretty(keys)?),
};

/// Returns the user's key for a vendor from the environment.
pub fn find_key(vendor: &Vendor) -> Option<String> {
    vendor.endpoint.key_env.as_deref().and_then(variable)
}

/// Returns the user's key for a vendor: from the environment, else from the command of `[providers.NAME]` in
/// `config.toml`, else from a sign-in. The command, or the client of the keyring, runs once in a process.
///
/// # Errors
///
/// Fails if the user's file is invalid, or if the program fails.
pub fn resolve_key(app: &App, vendor: &Vendor) -> Result<Option<SecretString>> {
    if let Some(key) = find_key(vendor) {
        return Ok(Some(SecretString::from(key)));
    }
    let name = vendor.name();
    if let Some(command) = load_key_commands(app)?.get(name) {
        let key = run_command(command);
        return key.map(Some).with_context(|| format!("the command for the key of {name}"));
    }
    // Without a state folder no key is stored.
    let Ok(file) = state_file(app) else { return Ok(None) };
    let mut stored = file.load(&FORMAT)?;
    if stored.keyring.contains(name) {
        let key = run_command(&keyring::lookup(name));
        return key.map(Some).with_context(|| format!("the key of {name} in the keyring"));
    }
    Ok(stored.keys.remove(name).map(SecretString::from))
}

/// Source of a provider's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// An environment variable.
    Environment,
    /// A command in the user's `config.toml`.
    Command,
    /// A sign-in whose key is in a file.
    Stored,
    /// A sign-in whose key is in the keyring of the system.
    Keyring,
}

/// Returns the source from which a vendor's key would come, without running a command.
///
/// # Errors
///
/// Fails if a file of the user is invalid.
pub fn find_key_source(app: &App, vendor: &Vendor) -> Result<Option<KeySource>> {
    if find_key(vendor).is_some() {
        return Ok(Some(KeySource::Environment));
    }
    if load_key_commands(app)?.contains_key(vendor.name()) {
        return Ok(Some(KeySource::Command));
    }
    let Ok(file) = state_file(app) else { return Ok(None) };
    let stored = file.load(&FORMAT)?;
    if stored.keyring.contains(vendor.name()) {
        return Ok(Some(KeySource::Keyring));
    }
    Ok(stored.keys.contains_key(vendor.name()).then_some(KeySource::Stored))
}

/// Returns the name of the variable of a required key that no source has.
///
/// # Errors
///
/// Fails if a file of the user is invalid.
pub fn missing_key<'a>(app: &App, vendor: &'a Vendor) -> Result<Option<&'a str>> {
    let Some(name) = vendor.endpoint.key_env.as_deref() else { return Ok(None) };
    let is_missing = vendor.endpoint.key_use == KeyUse::Required && find_key_source(app, vendor)?.is_none();
    Ok(is_missing.then_some(name))
}

/// Stores a key for a provider in a file that only the user can read.
///
/// # Errors
///
/// Fails if the key is not plausible, or if the file cannot be written.
pub fn store_key(app: &App, provider: &str, key: &str) -> Result<()> {
    let key = check_key(key)?;
    let store = |stored: &mut StoredKeys| {
        let has_room = stored.has_room(provider);
        if has_room {
            stored.keyring.remove(provider);
            stored.keys.insert(provider.to_owned(), key.to_owned());
        }
        has_room
    };
    let (_, is_stored) = state_file(app)?.update(&FORMAT, store)?;
    ensure!(is_stored, Conflict, "{MAX_KEYS} keys are stored already");
    Ok(())
}

/// Stores a key for a provider in the keyring of the system, through the keyring's client.
///
/// # Errors
///
/// Fails if the key is not plausible, if the client fails, or if the file that names the keyring cannot be written.
pub fn store_key_in_keyring(app: &App, provider: &str, key: &str) -> Result<()> {
    keyring::store(provider, check_key(key)?)?;
    let store = |stored: &mut StoredKeys| {
        let has_room = stored.has_room(provider);
        if has_room {
            stored.keys.remove(provider);
            stored.keyring.insert(provider.to_owned());
        }
        has_room
    };
    let (_, is_stored) = state_file(app)?.update(&FORMAT, store)?;
    ensure!(is_stored, Conflict, "{MAX_KEYS} keys are stored already");
    Ok(())
}

/// Removes the key of a provider from the file and from the keyring. Returns false if it has none.
///
/// # Errors
///
/// Fails if the client of the keyring fails, or if the file cannot be written.
pub fn remove_key(app: &App, provider: &str) -> Result<bool> {
    let file = state_file(app)?;
    if file.load(&FORMAT)?.keyring.contains(provider) {
        keyring::remove(provider)?;
    }
    let remove = |stored: &mut StoredKeys| {
        let is_in_keyring = stored.keyring.remove(provider);
        stored.keys.remove(provider).is_some() || is_in_keyring
    };
    Ok(file.update(&FORMAT, remove)?.1)
}

/// Lists the providers with a stored key.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn list_stored_keys(app: &App) -> Result<Vec<String>> {
    let stored = state_file(app)?.load(&FORMAT)?;
    Ok(stored.keys.into_keys().chain(stored.keyring).collect())
}

/// Returns the stored keys and those that commands printed in this process, for redaction.
pub(crate) fn list_known_keys(app: &App) -> Vec<SecretString> {
    let stored = state_file(app).and_then(|file| file.load(&FORMAT)).unwrap_or_default();
    list_printed_keys().into_iter().chain(stored.keys.into_values().map(SecretString::from)).collect()
}

fn state_file(app: &App) -> Result<StateFile> {
    Ok(StateFile::new(app.state_file(FILE)?, app.notices(), "no key is stored"))
}
