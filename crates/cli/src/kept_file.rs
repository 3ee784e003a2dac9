//! A file of the user's alone, in the folder for everything that is kept.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use crate::runs;

/// A file that only its user may read and write, and that is written whole or not at all.
#[derive(Clone, Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
}

impl KeptFile {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The text, if there is one and nobody else could have written it.
    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context(format!("{} cannot be read", self.path.display())),
        };
        let about = fs::symlink_metadata(&self.path)?;
        // Whoever can make a file here is who runs this.
        let own = NamedTempFile::new()?.as_file().metadata()?.uid();
        // Nothing for the group and nothing for others.
        let is_private = about.is_file() && about.permissions().mode().trailing_zeros() >= 6;
        anyhow::ensure!(about.uid() == own && is_private, "{} is open to others", self.path.display());
        Ok(Some(text))
    }

    /// Puts a new text in the place of the old one.
    pub(crate) fn write(&self, text: &[u8]) -> anyhow::Result<()> {
        let folder = self.path.parent().context("the file has no folder")?;
        runs::make_private(folder)?;
        // Only its owner may read and write it, from the beginning.
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(text)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// Keeps a file that cannot be read under another name, and says which.
    pub(crate) fn set_aside(&self) -> String {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let aside = self.path.with_extension(format!("json.corrupt-{seconds}"));
        match fs::rename(&self.path, &aside) {
            Ok(()) => format!("kept as {}", aside.display()),
            Err(error) => format!("still there ({error})"),
        }
    }
}
