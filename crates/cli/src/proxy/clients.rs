//! The file with the keys of the gateway's clients.

use std::path::Path;

use anyhow::Context as _;
use windlass_gateway::ClientKeys;

use super::storage;
use crate::output;

/// Maximum size of the file.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the file.
pub(super) fn read(path: &Path) -> anyhow::Result<ClientKeys> {
    let failure = || format!("{} cannot be read", path.display());
    let size = std::fs::metadata(path).with_context(failure)?.len();
    anyhow::ensure!(size <= MAX_BYTES, "{} is larger than {MAX_BYTES} bytes", path.display());
    let text = std::fs::read_to_string(path).with_context(failure)?;
    ClientKeys::from_json(&text).with_context(failure)
}

/// Adds a client and prints its key.
pub(super) fn add(path: &Path, name: &str, models: &[String]) -> anyhow::Result<()> {
    let mut keys = if path.exists() { read(path)? } else { ClientKeys::default() };
    let key = keys.create(name, models.iter().cloned())?;
    storage::replace(path, &keys.to_json()?)?;
    output::print(&format!("{key}\n"))
}

/// Removes a client.
pub(super) fn remove(path: &Path, name: &str) -> anyhow::Result<()> {
    let mut keys = read(path)?;
    anyhow::ensure!(keys.revoke(name), "{} has no client {name:?}", path.display());
    storage::replace(path, &keys.to_json()?)?;
    output::note("a server that runs refuses the key after SIGHUP with --file, or when it starts again");
    Ok(())
}
