//! Keys of providers: from the environment, from a command of the user, and from stored sign-ins.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use windlass_client::{KeyUse, Vendor};

use crate::app::App;
use crate::child_wait::wait_with_limit;
use crate::config::variable;
use crate::configuration::load_key_commands;
use crate::error::{Context as _, Result, bail, ensure};
use crate::storage::{Format, StateFile};

/// File of stored keys in the state folder, which tools cannot reach.
const FILE: &str = "keys.json";

/// Maximum length of a key in bytes.
const MAX_KEY: usize = 16 * 1024;

/// Maximum number of stored keys.
const MAX_KEYS: usize = 1_000;

/// Time that a command may take to print a key. A password manager may ask its user first.
const COMMAND_TIME: Duration = Duration::from_mins(1);

/// Keys that commands printed in this process, so that a password manager asks its user once.
static PRINTED: Mutex<BTreeMap<Vec<String>, SecretString>> = Mutex::new(BTreeMap::new());

/// The stored keys, by the names of providers.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredKeys {
    keys: BTreeMap<String, String>,
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
/// `config.toml`, else from a sign-in. The command runs once in a process.
///
/// # Errors
///
/// Fails if the user's file is invalid, or if the command fails.
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
    Ok(file.load(&FORMAT)?.keys.remove(name).map(SecretString::from))
}

/// Source of a provider's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// An environment variable.
    Environment,
    /// A command in the user's `config.toml`.
    Command,
    /// A sign-in.
    Stored,
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
    Ok(file.load(&FORMAT)?.keys.contains_key(vendor.name()).then_some(KeySource::Stored))
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
        let has_room = stored.keys.len() < MAX_KEYS || stored.keys.contains_key(provider);
        if has_room {
            stored.keys.insert(provider.to_owned(), key.to_owned());
        }
        has_room
    };
    let (_, is_stored) = state_file(app)?.update(&FORMAT, store)?;
    ensure!(is_stored, Conflict, "{MAX_KEYS} keys are stored already");
    Ok(())
}

/// Removes the stored key of a provider. Returns false if it has none.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn remove_key(app: &App, provider: &str) -> Result<bool> {
    Ok(state_file(app)?.update(&FORMAT, |stored| stored.keys.remove(provider).is_some())?.1)
}

/// Lists the providers with a stored key.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn list_stored_keys(app: &App) -> Result<Vec<String>> {
    Ok(state_file(app)?.load(&FORMAT)?.keys.into_keys().collect())
}

/// Returns the stored keys and those that commands printed in this process, for redaction.
pub(crate) fn list_known_keys(app: &App) -> Vec<SecretString> {
    let printed =
        PRINTED.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect::<Vec<_>>();
    let stored = state_file(app).and_then(|file| file.load(&FORMAT)).unwrap_or_default();
    printed.into_iter().chain(stored.keys.into_values().map(SecretString::from)).collect()
}

fn state_file(app: &App) -> Result<StateFile> {
    Ok(StateFile::new(app.state_file(FILE)?, app.notices(), "no key is stored"))
}

/// Returns a key without the line feed at its end. Fails if it cannot be a key.
fn check_key(text: &str) -> Result<&str> {
    let key = text.trim();
    ensure!(!key.is_empty(), Invalid, "the key is empty");
    ensure!(key.len() <= MAX_KEY, Invalid, "the key has more than {MAX_KEY} bytes");
    ensure!(
        !key.chars().any(|letter| letter.is_whitespace() || letter.is_control()),
        Invalid,
        "the key has more than one word"
    );
    Ok(key)
}

/// Runs a command without a shell and returns the key that it prints, also if the command ran before: a key can have been
/// replaced. The output is part of no error.
///
/// # Errors
///
/// Fails if the command fails, or if its output cannot be a key.
pub fn run_key_command(argv: &[String]) -> Result<SecretString> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    run_again(argv, &mut printed)
}

/// Returns the key that a command prints. It runs once in a process.
fn run_command(argv: &[String]) -> Result<SecretString> {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = printed.get(argv) {
        return Ok(key.clone());
    }
    run_again(argv, &mut printed)
}

fn run_again(argv: &[String], printed: &mut BTreeMap<Vec<String>, SecretString>) -> Result<SecretString> {
    let output = capture(argv)?;
    let text = String::from_utf8(output).ok().context("the output is not UTF-8")?;
    let key = SecretString::from(check_key(&text)?);
    printed.insert(argv.to_vec(), key.clone());
    Ok(key)
}

/// Starts a program without a shell, and returns its standard output.
fn capture(argv: &[String]) -> Result<Vec<u8>> {
    let (program, words) = argv.split_first().context("it names no program")?;
    let mut command = Command::new(program);
    // An error message of the program could contain the key.
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = windlass_sandbox::start_child(|| command.spawn());
    let mut child = started.with_context(|| format!("{program} cannot be started"))?;
    let stream = child.stdout.take().context("the output cannot be read")?;
    let (sender, printed) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_KEY).unwrap_or(u64::MAX).saturating_add(2);
        // A partial output is refused below.
        let _ = stream.take(limit).read_to_end(&mut bytes);
        drop(sender.send(bytes));
    });
    let began = Instant::now();
    let Some(status) = wait_with_limit(&mut child, COMMAND_TIME).context("its end is unknown")? else {
        bail!(Unavailable, "{program} did not end within {} seconds", COMMAND_TIME.as_secs());
    };
    ensure!(status.success(), Unavailable, "{program} failed: {status}");
    // A process that the program left behind can keep the output open.
    let bytes = printed.recv_timeout(COMMAND_TIME.saturating_sub(began.elapsed()));
    bytes.ok().with_context(|| format!("the output of {program} did not end"))
}
