//! What must not be shown: the secrets of the user's environment and of the project's `.env` files.

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

use secrecy::SecretString;
use windlass_redact::Redactor;

use crate::arguments::Reach;
use crate::runs::Settings;

/// Words in the names of variables whose values are secrets.
const NAMES: [&str; 7] = ["KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];

/// The most `.env` files of a project that are read, and the most bytes of one.
const FILES: usize = 16;
const FILE_BYTES: u64 = 64 * 1024;

/// What the environment alone says is secret, for errors and panics before anything else is known.
pub(crate) fn known() -> &'static Redactor {
    static KNOWN: OnceLock<Redactor> = OnceLock::new();
    KNOWN.get_or_init(|| Redactor::new(of_environment()))
}

/// The secrets that a run may meet: those of its folder, keys under names of the user's own providers, and the
/// passwords in the addresses of providers and of a proxy.
pub(crate) fn of_run(settings: &Settings, reach: &Reach) -> anyhow::Result<Vec<SecretString>> {
    let mut secrets = of_folder(&settings.root);
    let vendors = reach.vendors()?;
    secrets.extend(vendors.iter().filter_map(crate::reach::key).map(SecretString::from));
    let providers = settings.fallbacks.iter().chain([&settings.provider]);
    let addresses = providers.filter_map(|provider| provider.base_url.as_ref()).chain(&reach.proxy);
    secrets.extend(addresses.flat_map(|address| passwords(address)));
    Ok(secrets)
}

/// The secrets of the environment and of a project's `.env` files.
pub(crate) fn of_folder(root: &Path) -> Vec<SecretString> {
    let mut secrets: Vec<SecretString> = of_environment().collect();
    for text in dot_env_files(root) {
        for (name, value) in text.lines().filter_map(assignment) {
            secrets.extend(of_variable(name, value));
        }
    }
    secrets
}

fn of_environment() -> impl Iterator<Item = SecretString> {
    let texts = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.flat_map(|(name, value)| of_variable(&name, &value))
}

/// Whether a variable's value is to be kept from others.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    !of_variable(name, value).is_empty()
}

/// Whether a name is that of a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_uppercase();
    NAMES.iter().any(|word| name.contains(word))
}

/// What of a variable is secret: all of it, by its name, or the passwords in addresses.
fn of_variable(name: &str, value: &str) -> Vec<SecretString> {
    let mut secrets = passwords(value);
    if is_secret_name(name) && is_plausible(value) {
        secrets.push(value.into());
    }
    secrets
}

/// Whether a value can be a secret, and is not a switch, a word, a count or the place of a file, which texts are full
/// of.
fn is_plausible(value: &str) -> bool {
    let value = value.trim();
    let is_word = value.len() <= 10 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_count = value.len() < 10 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = value.starts_with(['/', '~', '.']) && fs::symlink_metadata(value).is_ok();
    !(is_word || is_count || is_place)
}

/// The passwords in the addresses of a value: what stands between `:` and `@`.
fn passwords(value: &str) -> Vec<SecretString> {
    let after =
        value.match_indices("://").filter_map(|(at, mark)| value.get(at.saturating_add(mark.len())..));
    let authorities = after.filter_map(|rest| rest.split(['/', '?', '#', ',', ' ']).next());
    let users = authorities.filter_map(|authority| authority.rsplit_once('@'));
    users.filter_map(|(user, _)| user.split_once(':')).map(|(_, password)| password.into()).collect()
}

fn dot_env_files(root: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let named = entries.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b".env"));
    let small = |path: &Path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= FILE_BYTES);
    let paths = named.map(|entry| entry.path()).filter(|path| small(path)).take(FILES);
    paths.filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// The name and the value of a line of an `.env` file.
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
