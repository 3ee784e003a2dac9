//! What a person's answers taught: a file for each workspace, beside the runs.

use std::path::Path;

use windlass_hitl::{Learned, Policy};

use crate::kept_file::KeptFile;
use crate::{output, runs};

/// Where the lessons of one workspace are kept.
#[derive(Clone, Debug)]
pub(crate) struct LessonFile {
    file: KeptFile,
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
        Ok(Self { file: KeptFile::new(folder.join(format!("{name}.json"))) })
    }

    /// What was learned under this policy. What cannot be read is kept aside, and said: more is asked then, never less.
    pub(crate) fn load(&self, policy: &Policy) -> Learned {
        let epoch = policy.epoch();
        let read = self.file.read().and_then(|text| match text {
            Some(text) => Learned::parse(&text, &epoch).map_err(anyhow::Error::from),
            None => Ok(Learned::new(epoch.clone())),
        });
        read.unwrap_or_else(|error| {
            let aside = self.file.set_aside();
            output::note(&format!("{error:#}; it begins anew, and the old file is {aside}"));
            Learned::new(epoch)
        })
    }

    /// Writes what was learned. A failure is said and stops nothing: more is asked then.
    pub(crate) fn save(&self, learned: &Learned) {
        let written = learned.to_text().map_err(anyhow::Error::from);
        if let Err(error) = written.and_then(|text| self.file.write(text.as_bytes())) {
            output::note(&format!("what was learned cannot be kept: {error:#}"));
        }
    }
}
