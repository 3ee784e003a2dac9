//! What a person's answers taught: a file for each workspace, beside the runs.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use tempfile::NamedTempFile;
use windlass_hitl::{Learned, Policy};

use crate::{output, runs};

/// Where the lessons of one workspace are kept.
#[derive(Clone, Debug)]
pub(crate) struct LessonFile {
    path: PathBuf,
}

impl LessonFile {
    /// The file of a workspace. It is outside of it, where no tool reaches.
    pub(crate) fn of(root: &Path) -> anyhow::Result<Self> {
        let folder = runs::state()?.join("learned");
        // Readable, and short enough for a file system. Where two workspaces have one name nothing is mixed up:
        // every lesson names its workspace.
        let name: Vec<char> = root.to_string_lossy().chars().rev().take(120).collect();
        let plain = |letter: &char| if letter.is_ascii_alphanumeric() { *letter } else { '-' };
        let name: String = name.iter().rev().map(plain).collect();
        Ok(Self { path: folder.join(format!("{name}.json")) })
    }

    /// What was learned under this policy. What cannot be read is kept aside, and said: more is asked then, never less.
    pub(crate) fn load(&self, policy: &Policy) -> Learned {
        let epoch = policy.epoch();
        let read = self.trusted().and_then(|text| match text {
            Some(text) => Learned::parse(&text, &epoch).map_err(anyhow::Error::from),
            None => Ok(Learned::new(epoch.clone())),
        });
        read.unwrap_or_else(|error| {
            let aside = self.set_aside();
            output::note(&format!("{error:#}; it begins anew, and the old file is {aside}"));
            Learned::new(epoch)
        })
    }

    /// Writes what was learned. A failure is said and stops nothing: more is asked then.
    pub(crate) fn save(&self, learned: &Learned) {
        if let Err(error) = self.write(learned) {
            output::note(&format!("what was learned cannot be kept: {error:#}"));
        }
    }

    fn write(&self, learned: &Learned) -> anyhow::Result<()> {
        let folder = self.path.parent().context("the file has no folder")?;
        runs::make_private(folder)?;
        // Only its owner may read and write it, from the beginning.
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(learned.to_text()?.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// The text, if there is one and nobody else could have written it.
    fn trusted(&self) -> anyhow::Result<Option<String>> {
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

    fn set_aside(&self) -> String {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let aside = self.path.with_extension(format!("json.corrupt-{seconds}"));
        match fs::rename(&self.path, &aside) {
            Ok(()) => format!("kept as {}", aside.display()),
            Err(error) => format!("still there ({error})"),
        }
    }
}
