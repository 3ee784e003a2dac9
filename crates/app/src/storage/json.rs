//! Values as JSON files in a run's folder.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{bounded, write_whole};
use crate::error::{Context as _, Result};

/// Writes a value as `NAME.json` into a folder, atomically by a rename.
pub(crate) fn write_json(folder: &Path, name: &str, value: &impl Serialize) -> Result<()> {
    let path = folder.join(format!("{name}.json"));
    write_whole(&path, &serde_json::to_vec_pretty(value)?, 0o600)
}

/// Reads a value that `write_json` stored.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = bounded::read(path, bounded::QUESTION_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not what windlass writes there", path.display()))
}
