//! What is in a folder.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use cap_std::fs::FileType;

use crate::{FileError, Workspace, WorkspacePath};

/// What something in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Special,
}

impl Kind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Special,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Special => "a pipe, socket or device",
        })
    }
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name, as [`WorkspacePath::join`] takes it; it need not be text.
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: Kind,
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The names, sorted.
    pub entries: Vec<Entry>,
    /// Whether the folder has more of them.
    pub is_cut: bool,
}

impl Workspace {
    /// What a path is, links followed.
    ///
    /// # Errors
    /// If nothing is there or the path leads out.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        let real = self.judged(path)?;
        let found = self.handle(&real)?.symlink_metadata(real.for_handle());
        found.map(|metadata| Kind::of(metadata.file_type())).map_err(|error| FileError::from_io(path, error))
    }

    /// The names in a folder, sorted; `limit` of them at the most, in a folder that has more those that the
    /// system names first.
    ///
    /// # Errors
    /// If it is no folder inside the workspace.
    pub fn list(&self, path: &WorkspacePath, limit: usize) -> Result<Listing, FileError> {
        let failed = |error| FileError::from_io(path, error);
        let real = self.judged(path)?;
        let mut entries = Vec::new();
        let mut is_cut = false;
        for entry in self.handle(&real)?.read_dir(real.for_handle()).map_err(failed)? {
            if entries.len() == limit {
                is_cut = true;
                break;
            }
            let entry = entry.map_err(failed)?;
            let kind = Kind::of(entry.file_type().map_err(failed)?);
            entries.push(Entry { name: entry.file_name(), kind });
        }
        entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(Listing { entries, is_cut })
    }

    /// The words of a link's target, unjudged, for showing.
    ///
    /// # Errors
    /// If it is no link.
    pub fn link_target(&self, path: &WorkspacePath) -> Result<String, FileError> {
        let target = self.handle(path)?.read_link_contents(path.for_handle());
        target
            .map(|target| target.to_string_lossy().into_owned())
            .map_err(|error| FileError::from_io(path, error))
    }
}

/// Files that say what of a folder is to be passed over, as walkers read them.
const RULES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];
/// How long one may be.
const RULE_BYTES: u64 = 4 * 1024 * 1024;

/// Whether what says in a folder what is to be passed over can be read to an end: a walker that meets a pipe or a device
/// there waits for ever. A link is judged by what it leads to.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// assert!(windlass_sandbox::has_readable_rules(folder.path()));
/// std::fs::create_dir(folder.path().join(".gitignore"))?;
/// assert!(!windlass_sandbox::has_readable_rules(folder.path()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn has_readable_rules(folder: &Path) -> bool {
    RULES.iter().all(|name| match folder.join(name).metadata() {
        Ok(found) => found.is_file() && found.len() <= RULE_BYTES,
        Err(_) => true,
    })
}
