//! Listing folders.

use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use cap_std::fs::FileType;
use windlass_text::has_buildable_rules;

use crate::read::read_bytes;
use crate::{FileError, SettingsOwner, Workspace, WorkspacePath};

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl Kind {
    pub(crate) fn from_file_type(kind: FileType) -> Self {
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

/// A directory entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderEntry {
    /// The name, as [`WorkspacePath::join`] takes it. It is not necessarily UTF-8.
    pub name: OsString,
    /// The kind; links are not followed.
    pub kind: Kind,
}

/// The entries of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The entries, sorted by name.
    pub entries: Vec<FolderEntry>,
    /// True if the folder has more entries.
    pub is_cut: bool,
}

impl Workspace {
    /// Returns the kind of a path. Links are followed.
    ///
    /// # Errors
    /// If the path does not exist or leads out of the workspace.
    pub fn kind(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        let real = self.resolve_checked(path)?;
        let found = self.handle(&real)?.symlink_metadata(real.for_handle());
        found
            .map(|metadata| Kind::from_file_type(metadata.file_type()))
            .map_err(|error| FileError::from_io(path, error))
    }

    /// Lists at most `limit` entries of a folder, sorted by name. A longer folder is cut in the order of the
    /// system, before the sort.
    ///
    /// # Errors
    /// If the path is not a folder inside the workspace.
    pub fn list(&self, path: &WorkspacePath, limit: usize) -> Result<Listing, FileError> {
        let failed = |error| FileError::from_io(path, error);
        let real = self.resolve_checked(path)?;
        let mut entries = Vec::new();
        let mut is_cut = false;
        for entry in self.handle(&real)?.read_dir(real.for_handle()).map_err(failed)? {
            if entries.len() == limit {
                is_cut = true;
                break;
            }
            let entry = entry.map_err(failed)?;
            let kind = Kind::from_file_type(entry.file_type().map_err(failed)?);
            entries.push(FolderEntry { name: entry.file_name(), kind });
        }
        entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(Listing { entries, is_cut })
    }

    /// Returns the target of a link as it is written, for display. The target is not checked.
    ///
    /// # Errors
    /// If the path is not a link.
    pub fn link_target(&self, path: &WorkspacePath) -> Result<String, FileError> {
        let target = self.handle(path)?.read_link_contents(path.for_handle());
        target
            .map(|target| target.to_string_lossy().into_owned())
            .map_err(|error| FileError::from_io(path, error))
    }
}

/// The files with ignore rules that directory walkers read.
const RULES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// Returns true if a directory walker can read and build the folder's ignore files. A walker would block
/// forever on a pipe or a device with such a name, and a megabyte of wildcards would take gigabytes of
/// memory. A walker does not compile the rules of a file that has more than 1 MiB or exceeds the limits of
/// [`windlass_text::rule_lines`]. A link is checked by its target.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// assert!(windlass_sandbox::has_readable_rules(folder.path()));
/// std::fs::create_dir(folder.path().join(".gitignore"))?;
/// assert!(!windlass_sandbox::has_readable_rules(folder.path()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn has_readable_rules(folder: &Path) -> bool {
    find_unreadable_rules(folder).is_empty()
}

/// Returns the names of the folder's ignore files that cannot be used, among `.gitignore`, `.ignore` and
/// `.git/info/exclude`; see [`has_readable_rules`].
///
/// ```
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join(".gitignore"))?;
/// assert_eq!(windlass_sandbox::find_unreadable_rules(folder.path()), [".gitignore"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find_unreadable_rules(folder: &Path) -> Vec<&'static str> {
    RULES.into_iter().filter(|name| !is_usable(&folder.join(name))).collect()
}

/// Returns true if an ignore file is missing, or is short enough to be read and compiled.
fn is_usable(file: &Path) -> bool {
    if file.metadata().is_err() {
        return true;
    }
    match read_bytes(file, SettingsOwner::User) {
        Ok(bytes) => bytes.is_none_or(|bytes| has_buildable_rules(&String::from_utf8_lossy(&bytes))),
        // The walker reports it, and walks on without the rules.
        Err(error) => error.kind() == ErrorKind::PermissionDenied,
    }
}
