//! The secrets that must not be stored, printed or sent: those of the user's environment and of the
//! project's `.env` files.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

use secrecy::SecretString;
use windlass_redact::Redactor;
use windlass_sandbox::{SettingsOwner, read_settings};

use crate::app::App;
use crate::config::RunSettings;
use crate::error::Result;
use crate::providers::{ProviderOptions, find_key, list_known_keys, resolve_key};

/// Parts of variable names whose values are secrets. A part matches anywhere in a name.
const NAMES: [&str; 8] =
    ["KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "WEBHOOK"];

/// Parts of variable names that match only as whole words, because they are short: `DB_PASS`, `GH_PAT`,
/// `SENTRY_DSN`. `PATH`, `PASSENGERS` and `COMPASS` are not secret.
const PARTS: [&str; 7] = ["PASS", "PAT", "DSN", "PWD", "PW", "AUTH", "CREDS"];

/// Shell variables that match `PARTS` although their values are folders.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// Values of `.env` files that are placeholders or program names. They occur in the texts of every project,
/// so redacting them would damage the texts.
const COMMON: [&str; 22] = [
    "admin",
    "changeit",
    "changeme",
    "default",
    "development",
    "disabled",
    "enabled",
    "example",
    "keychain",
    "localhost",
    "mongodb",
    "mysql",
    "oauth",
    "password",
    "postgres",
    "postgresql",
    "rabbitmq",
    "redis",
    "secret",
    "staging",
    "string",
    "testing",
];
/// Minimum length of an alphabetic value of an `.env` file that counts as a secret.
const SHORTEST_WORD: usize = 5;

/// Folders of dependencies and build outputs, which hold no secrets of the project.
const SKIPPED: [&str; 5] = ["node_modules", "target", "vendor", "dist", "__pycache__"];
/// Maximum number of folders that are searched, and their maximum depth below the root.
const FOLDERS_READ: usize = 2_000;
const DEPTH: usize = 5;

/// Maximum number of `.env` files that are read, and the maximum size of one in bytes.
const FILES: usize = 64;
const FILE_BYTES: u64 = 64 * 1024;

/// Returns a redactor for the secrets of the environment, for errors and panics before a workspace is known.
pub fn environment_redactor() -> &'static Redactor {
    static KNOWN: OnceLock<Redactor> = OnceLock::new();
    KNOWN.get_or_init(|| Redactor::new(environment_secrets()))
}

/// Returns the secrets of a run: those of its folder, the keys of the configured providers, and the passwords
/// in the addresses of the providers and the proxy.
///
/// # Errors
///
/// Fails if the user's file of providers is invalid.
pub fn collect_run_secrets(
    app: &App,
    settings: &RunSettings,
    options: &ProviderOptions,
) -> Result<Vec<SecretString>> {
    let mut secrets = collect_folder_secrets(&settings.root);
    secrets.extend(app.store().secrets().iter().cloned());
    let vendors = options.vendors(app)?;
    secrets.extend(vendors.iter().filter_map(find_key).map(SecretString::from));
    // The key of the run may come from a command that has not run yet. An error of the command is ignored here;
    // connecting to the provider reports it.
    let of_run = settings.fallbacks.iter().chain([&settings.provider]);
    let keys = of_run.filter_map(|provider| resolve_key(app, &provider.vendor(&vendors).ok()?).ok()?);
    secrets.extend(keys);
    secrets.extend(list_known_keys(app));
    let providers = settings.fallbacks.iter().chain([&settings.provider]);
    let addresses = providers.filter_map(|provider| provider.base_url.as_ref()).chain(&options.proxy);
    secrets.extend(addresses.flat_map(|address| passwords(address)));
    Ok(secrets)
}

/// Returns the secrets of the environment and of a project's `.env` files.
pub fn collect_folder_secrets(root: &Path) -> Vec<SecretString> {
    let mut secrets: Vec<SecretString> = environment_secrets().collect();
    for text in dot_env_files(root) {
        for (name, value) in text.lines().filter_map(assignment) {
            secrets.extend(dot_env_secrets(name, value));
        }
    }
    secrets
}

fn environment_secrets() -> impl Iterator<Item = SecretString> {
    let texts = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.flat_map(|(name, value)| variable_secrets(&name, &value))
}

/// Returns true if a variable's value is a secret or contains one.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    !variable_secrets(name, value).is_empty()
}

/// Returns true if a variable's name indicates a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_uppercase();
    let is_part = || name.split(|letter: char| !letter.is_alphanumeric()).any(|part| PARTS.contains(&part));
    NAMES.iter().any(|word| name.contains(word)) || (!FOLDERS.contains(&name.as_str()) && is_part())
}

/// Returns the secrets in a variable: the whole value if the name indicates a secret, and the passwords in
/// addresses.
fn variable_secrets(name: &str, value: &str) -> Vec<SecretString> {
    let mut secrets = passwords(value);
    if is_secret_name(name) && is_plausible(value) {
        secrets.push(value.into());
    }
    secrets
}

/// Returns the secrets in a line of an `.env` file. Unlike in the environment, short words also count: an
/// author chose them as passwords.
fn dot_env_secrets(name: &str, value: &str) -> Vec<SecretString> {
    let mut secrets = variable_secrets(name, value);
    let is_word = value.len() >= SHORTEST_WORD && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if secrets.is_empty()
        && is_secret_name(name)
        && is_word
        && !COMMON.contains(&value.to_lowercase().as_str())
    {
        secrets.push(value.into());
    }
    secrets
}

/// Returns true unless the value is a short word, a small number or the path of an existing file, which are
/// frequent in texts.
fn is_plausible(value: &str) -> bool {
    let value = value.trim();
    let is_word = value.len() <= 10 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_count = value.len() < 10 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = value.starts_with(['/', '~', '.']) && fs::symlink_metadata(value).is_ok();
    !(is_word || is_count || is_place)
}

/// Returns the passwords in the addresses of a value, the text between `:` and `@` of each authority.
fn passwords(value: &str) -> Vec<SecretString> {
    let after =
        value.match_indices("://").filter_map(|(at, mark)| value.get(at.saturating_add(mark.len())..));
    let authorities = after.filter_map(|rest| rest.split(['/', '?', '#', ',', ' ']).next());
    let users = authorities.filter_map(|authority| authority.rsplit_once('@'));
    users.filter_map(|(user, _)| user.split_once(':')).map(|(_, password)| password.into()).collect()
}

/// Returns the texts of the `.env` files in and below the root, breadth-first. Does not follow links to
/// folders.
fn dot_env_files(root: &Path) -> Vec<String> {
    let small = |path: &Path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= FILE_BYTES);
    let (mut paths, mut read) = (Vec::new(), 0_usize);
    let mut folders = VecDeque::from([(root.to_owned(), 0_usize)]);
    while let Some((folder, depth)) = folders.pop_front() {
        if read >= FOLDERS_READ || paths.len() >= FILES {
            break;
        }
        read = read.saturating_add(1);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let is_project = !name.starts_with('.') && !SKIPPED.contains(&&*name);
                if is_project && depth < DEPTH {
                    folders.push_back((entry.path(), depth.saturating_add(1)));
                }
            } else if name.starts_with(".env") && small(&entry.path()) {
                paths.push(entry.path());
            }
        }
    }
    paths.truncate(FILES);
    // Follow links to files: the target is a secret, too.
    paths.iter().filter_map(|path| read_settings(path, SettingsOwner::User).ok().flatten()).collect()
}

/// Parses a line of an `.env` file to a name and a value.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    if name.starts_with('#') || name.is_empty() {
        return None;
    }
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote) {
            return Some((name, inside.split(quote).next().unwrap_or(inside)));
        }
    }
    Some((name, value.split(" #").next().unwrap_or(value).trim_end()))
}

#[cfg(test)]
mod tests;
