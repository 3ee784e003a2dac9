//! Opens files by name in folders that stay open, for a walk that visits many files in few folders.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::open_named;
use crate::{FileError, FileStream, Workspace, WorkspacePath};

/// The maximum number of open folders, one inside another. Deeper folders are opened from the last of them.
const MAX_OPEN: usize = 32;

/// A sequence of file opens below the workspace's root, for a directory walk. The folder of the last file and
/// its parents stay open, so the next file in the same folder is opened by its bare name.
///
/// It takes paths as a walk finds them. No link is followed, for folders or for files, so a path leads to
/// exactly one place or is refused, even if parts are exchanged at the same time. A folder that is moved
/// after it was opened is still read, as by any handle: it was in the workspace when it was opened. Drop the
/// value together with the walk.
///
/// ```
/// use std::path::Path;
/// use windlass_sandbox::{Descent, Workspace};
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("notes"))?;
/// std::fs::write(folder.path().join("notes/a.txt"), "one\n")?;
/// let workspace = Workspace::open(folder.path())?;
/// let mut descent = Descent::new(&workspace);
/// assert_eq!(descent.stream(Path::new("notes/a.txt"))?.len(), 4);
/// assert!(descent.stream(Path::new("notes/../../a.txt")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Descent<'w> {
    workspace: &'w Workspace,
    open: Vec<Open>,
}

/// An open folder, by its path below the root.
struct Open {
    below: PathBuf,
    dir: Dir,
}

impl<'w> Descent<'w> {
    /// Starts at the workspace's root.
    pub fn new(workspace: &'w Workspace) -> Self {
        Self { workspace, open: Vec::new() }
    }

    /// Opens a regular file of any length by its path below the root. The call never blocks.
    ///
    /// # Errors
    /// If the path has other parts than plain names, if a part is a link, or if the file is missing or not a
    /// regular file.
    pub fn stream(&mut self, below: &Path) -> Result<FileStream, FileError> {
        let path = WorkspacePath::from_walk(below)?;
        let (Some(folder), Some(name)) = (below.parent(), below.file_name()) else {
            return self.workspace.stream(&path);
        };
        let dir = self.folder(folder, &path)?;
        let (file, metadata) = open_named(dir, &path, Path::new(name))?;
        Ok(FileStream::open(file, path, &metadata))
    }

    /// Returns the target of a link, by the link's path below the root. The target is not opened.
    ///
    /// # Errors
    /// If the path is not a link, or as for `stream`.
    pub fn link(&mut self, below: &Path) -> Result<PathBuf, FileError> {
        let path = WorkspacePath::from_walk(below)?;
        let (Some(folder), Some(name)) = (below.parent(), below.file_name()) else {
            return Err(not_found(&path));
        };
        let dir = self.folder(folder, &path)?;
        dir.read_link_contents(name).map_err(|error| FileError::from_io(&path, error))
    }

    /// Returns the handle of a folder, opened from the deepest open folder that contains it.
    fn folder(&mut self, folder: &Path, path: &WorkspacePath) -> Result<&Dir, FileError> {
        while self.open.last().is_some_and(|last| !folder.starts_with(&last.below)) {
            self.open.pop();
        }
        let last = self.open.last().map_or(Path::new(""), |last| &last.below);
        // The open folder's path is a prefix, as the loop above ensured.
        let rest = folder.strip_prefix(last).unwrap_or(folder).to_path_buf();
        for part in rest.components() {
            // `found` resolves `.` and `..` lexically; a handle would follow them.
            let Component::Normal(name) = part else { return Err(not_found(path)) };
            self.enter(name, path)?;
        }
        Ok(self.open.last().map_or(&self.workspace.dir, |last| &last.dir))
    }

    fn enter(&mut self, name: &OsStr, path: &WorkspacePath) -> Result<(), FileError> {
        let (from, above) =
            self.open.last().map_or((&self.workspace.dir, Path::new("")), |last| (&last.dir, &last.below));
        let dir = from.open_dir_nofollow(name).map_err(|error| FileError::from_io(path, error))?;
        let below = above.join(name);
        if self.open.len() >= MAX_OPEN {
            self.open.pop();
        }
        self.open.push(Open { below, dir });
        Ok(())
    }
}

fn not_found(path: &WorkspacePath) -> FileError {
    FileError::NotFound { path: path.to_string() }
}

impl fmt::Debug for Descent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.open.iter().map(|open| &open.below)).finish()
    }
}
