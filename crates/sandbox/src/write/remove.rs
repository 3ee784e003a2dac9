//! Removes names below the workspace's handle, never the target of a link.

use std::path::Path;
use std::sync::PoisonError;

use cap_std::fs::Dir;

use super::{Place, hold};
use crate::read::read_all;
use crate::{FileError, Kind, Version, Workspace, WorkspacePath};

/// A file or folder below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundEntry {
    /// Its path.
    pub path: WorkspacePath,
    /// Its kind; links are not followed.
    pub kind: Kind,
}

impl Workspace {
    /// Removes a file that still has the expected version. Of a link, only the link is removed.
    ///
    /// # Errors
    /// As for `write`.
    pub fn remove(&self, path: &WorkspacePath, expected: Version) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.open_parent(path)?;
        let failed = |error| FileError::from_io(path, error);
        let stale = || FileError::Stale { path: path.to_string() };
        // Hold the lock until the name is removed, so that no other process writes between check and removal.
        let mut held = None;
        let version = if folder.symlink_metadata(name).map_err(failed)?.is_symlink() {
            self.read(path)?.version
        } else {
            let place = Place { path: path.clone(), folder: self.open_parent(path)?.0, name: name.into() };
            let (file, metadata) = hold(&place)?;
            Version::compute(&read_all(held.insert(file), &metadata, path)?)
        };
        if version != expected {
            return Err(stale());
        }
        folder.remove_file(name).map_err(failed)
    }

    /// Removes a file, a link or a pipe with any contents, and returns its kind. Of a link, only the link is
    /// removed.
    ///
    /// # Errors
    /// If the path does not exist, is a folder or the root, or leads out.
    pub fn remove_name(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.open_parent(path)?;
        let failed = |error| FileError::from_io(path, error);
        match Kind::from_file_type(folder.symlink_metadata(name).map_err(failed)?.file_type()) {
            Kind::Folder => Err(FileError::NotAFile { path: path.to_string(), kind: Kind::Folder }),
            kind => folder.remove_file(name).map(|()| kind).map_err(failed),
        }
    }

    /// Removes an empty folder. The root cannot be removed.
    ///
    /// # Errors
    /// If the path is not a folder, is not empty, or leads out.
    pub fn remove_folder(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.open_parent(path)?;
        folder.remove_dir(name).map_err(|error| FileError::from_io(path, error))
    }

    /// Returns the kind of a path without following links.
    ///
    /// # Errors
    /// If the path does not exist or leads out.
    pub fn kind_of_name(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        let (folder, name) = self.open_parent(path)?;
        let found = folder.symlink_metadata(name).map_err(|error| FileError::from_io(path, error))?;
        Ok(Kind::from_file_type(found.file_type()))
    }

    /// Returns everything below a folder, each folder before its contents. Links are not followed.
    ///
    /// # Errors
    /// If the path is not a folder inside the workspace, or has more than `limit` entries below it.
    pub fn list_below(&self, path: &WorkspacePath, limit: usize) -> Result<Vec<FoundEntry>, FileError> {
        let mut found: Vec<FoundEntry> = Vec::new();
        let mut open = vec![path.clone()];
        while let Some(folder) = open.pop() {
            let listing = self.list(&folder, limit.saturating_sub(found.len()))?;
            if listing.is_cut {
                return Err(FileError::TooMany { path: path.to_string(), limit });
            }
            for entry in listing.entries {
                let path = folder.join(&entry.name);
                if entry.kind == Kind::Folder {
                    open.push(path.clone());
                }
                found.push(FoundEntry { path, kind: entry.kind });
            }
        }
        Ok(found)
    }

    /// Opens the checked parent folder of a name, and returns it with the name.
    fn open_parent<'p>(&self, path: &'p WorkspacePath) -> Result<(Dir, &'p Path), FileError> {
        let Some(name) = path.relative().file_name() else {
            return Err(FileError::Root);
        };
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        let parent = self.resolve_checked(&WorkspacePath::from_relative(parent.to_path_buf()))?;
        Ok((self.folder(path, parent.relative())?, Path::new(name)))
    }
}
