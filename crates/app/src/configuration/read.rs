//! Reads the user's `config.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_sandbox::{SettingsOwner, read_settings};

use super::file::ConfigFile;
use crate::app::App;
use crate::error::{Context as _, Result, bail};
use crate::policies::check_owner;

/// Name of the file in the folder of settings.
pub(super) const USER_FILE: &str = "config.toml";

/// Maximum length of a file in bytes. Parsing takes about a hundred times that memory.
const MAX_BYTES: usize = 256 * 1024;

/// Reads the user's file. A missing file gives no values.
pub(super) fn read_users(file: &Path) -> Result<ConfigFile> {
    let refused = || format!("{} is refused", file.display());
    let Some(text) = read_settings(file, SettingsOwner::User).with_context(refused)? else {
        return Ok(ConfigFile::default());
    };
    check_owner(file).with_context(refused)?;
    check_size(&text).with_context(refused)?;
    ConfigFile::parse(&text).with_context(refused)
}

/// Fails if a file is too long.
pub(super) fn check_size(text: &str) -> Result<()> {
    let bytes = text.len();
    if bytes > MAX_BYTES {
        bail!(Invalid, "it has {bytes} bytes, at most {MAX_BYTES} are allowed");
    }
    Ok(())
}

/// Returns the commands that print the keys of providers, from the user's file.
pub(crate) fn load_key_commands(app: &App) -> Result<BTreeMap<String, Vec<String>>> {
    Ok(app
        .settings_file(USER_FILE)
        .map(|file| read_users(&file))
        .transpose()?
        .unwrap_or_default()
        .key_commands)
}
