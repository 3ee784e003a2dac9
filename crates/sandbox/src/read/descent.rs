//! Files opened by name in folders that stay open, for a walk that visits many files of few folders.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::open_named;
use crate::{FileError, FileStream, Workspace, WorkspacePath};

/// How many folders are held open, one in another; what lies deeper is opened from the last of them.
const MAX_OPEN: usize = 32;

/// A way down the workspace: the folder of the last file and those that hold it stay open, so that a file beside
/// it is opened by its bare name.
///
/// It takes paths as a walk finds them. No link is followed, neither by a folder's name nor by a file's, so a
/// path leads to the one place that its words say, or is refused, whatever is swapped meanwhile. A folder that
/// was moved after it was opened is still read, as by any handle: it lay in the workspace when it was opened.
/// What a walk is done with should be dropped with it.
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
    /// A way down that starts at the workspace's root.
    pub fn new(workspace: &'w Workspace) -> Self {
        Self { workspace, open: Vec::new() }
    }

    /// Opens a regular file of any length by its path below the root. Nothing is waited for.
    ///
    /// # Errors
    /// If the path is not made of plain names, if a part of it is a link, or what has its name is missing or no
    /// regular file.
    pub fn stream(&mut self, below: &Path) -> Result<FileStream, FileError> {
        let path = WorkspacePath::found(below)?;
        let (Some(folder), Some(name)) = (below.parent(), below.file_name()) else {
            return self.workspace.stream(&path);
        };
        let dir = self.folder(folder, &path)?;
        let (file, metadata) = open_named(dir, &path, Path::new(name))?;
        Ok(FileStream::opened(file, path, &metadata))
    }

    /// What a link says, by its path below the root. Nobody goes there.
    ///
    /// # Errors
    /// If it is no link, or as for a file.
    pub fn link(&mut self, below: &Path) -> Result<PathBuf, FileError> {
        let path = WorkspacePath::found(below)?;
        let (Some(folder), Some(name)) = (below.parent(), below.file_name()) else {
            return Err(not_found(&path));
        };
        let dir = self.folder(folder, &path)?;
        dir.read_link_contents(name).map_err(|error| FileError::from_io(&path, error))
    }

    /// The handle of a folder, from the deepest open one that holds it.
    fn folder(&mut self, folder: &Path, path: &WorkspacePath) -> Result<&Dir, FileError> {
        while self.open.last().is_some_and(|last| !folder.starts_with(&last.below)) {
            self.open.pop();
        }
        let last = self.open.last().map_or(Path::new(""), |last| &last.below);
        // The open folder's path is a prefix, as was just seen.
        let rest = folder.strip_prefix(last).unwrap_or(folder).to_path_buf();
        for part in rest.components() {
            // `found` reads `.` and `..` by their words; a handle would go there.
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
