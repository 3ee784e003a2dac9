//! Reading files, or standard input for `-`.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context as _;

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn bytes(file: &Path) -> anyhow::Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn text(file: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes(file)?).with_context(|| format!("{} is not UTF-8", file.display()))
}
