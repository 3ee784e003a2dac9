//! The file with the keys of the gateway's clients.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use windlass_gateway::ClientKeys;

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
    write(path, &keys)?;
    output::print(&format!("{key}\n"))
}

/// Removes a client.
pub(super) fn remove(path: &Path, name: &str) -> anyhow::Result<()> {
    let mut keys = read(path)?;
    anyhow::ensure!(keys.revoke(name), "{} has no client {name:?}", path.display());
    write(path, &keys)
}

/// Replaces the file as a whole. Only its owner can read it.
fn write(path: &Path, keys: &ClientKeys) -> anyhow::Result<()> {
    let failure = || format!("{} cannot be written", path.display());
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failure)?;
    file.write_all(keys.to_json()?.as_bytes()).with_context(failure)?;
    file.as_file().sync_all().with_context(failure)?;
    file.persist(path).with_context(failure)?;
    Ok(())
}
