//! Removing below the workspace's handle: names, never what a link leads to.

use std::path::Path;
use std::sync::PoisonError;

use cap_std::fs::Dir;

use super::{Place, hold};
use crate::read::read_all;
use crate::{FileError, Kind, Version, Workspace, WorkspacePath};

/// Something that was found below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Where it is.
    pub path: WorkspacePath,
    /// What it is; links are not followed.
    pub kind: Kind,
}

impl Workspace {
    /// Removes a file that still is what the caller read. A link is removed itself, its target stays.
    ///
    /// # Errors
    /// As for a write.
    pub fn remove(&self, path: &WorkspacePath, expected: Version) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.named(path)?;
        let failed = |error| FileError::from_io(path, error);
        let stale = || FileError::Stale { path: path.to_string() };
        // Held until the name is gone, so that no other process writes between the look and the step.
        let mut held = None;
        let version = if folder.symlink_metadata(name).map_err(failed)?.is_symlink() {
            self.read(path)?.version
        } else {
            let place = Place { path: path.clone(), folder: self.named(path)?.0, name: name.into() };
            let (file, metadata) = hold(&place)?;
            Version::of(&read_all(held.insert(file), &metadata, path)?)
        };
        if version != expected {
            return Err(stale());
        }
        folder.remove_file(name).map_err(failed)
    }

    /// Removes a file, a link or a pipe, whatever it holds, and says what it was. Of a link only the link goes.
    ///
    /// # Errors
    /// If nothing is there, if it is a folder or the root, or if the path leads out.
    pub fn remove_name(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.named(path)?;
        let failed = |error| FileError::from_io(path, error);
        match Kind::of(folder.symlink_metadata(name).map_err(failed)?.file_type()) {
            Kind::Folder => Err(FileError::NotAFile { path: path.to_string(), kind: Kind::Folder }),
            kind => folder.remove_file(name).map(|()| kind).map_err(failed),
        }
    }

    /// Removes a folder that has nothing in it. The root stays.
    ///
    /// # Errors
    /// If it is no folder, has something in it, or the path leads out.
    pub fn remove_folder(&self, path: &WorkspacePath) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (folder, name) = self.named(path)?;
        folder.remove_dir(name).map_err(|error| FileError::from_io(path, error))
    }

    /// What something is, links not followed.
    ///
    /// # Errors
    /// If nothing is there or the path leads out.
    pub fn kind_of_name(&self, path: &WorkspacePath) -> Result<Kind, FileError> {
        let (folder, name) = self.named(path)?;
        let found = folder.symlink_metadata(name).map_err(|error| FileError::from_io(path, error))?;
        Ok(Kind::of(found.file_type()))
    }

    /// Everything below a folder, each folder before what is in it, links not followed.
    ///
    /// # Errors
    /// If it is no folder inside the workspace, or if there is more than `limit`.
    pub fn below(&self, path: &WorkspacePath, limit: usize) -> Result<Vec<Found>, FileError> {
        let mut found: Vec<Found> = Vec::new();
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
                found.push(Found { path, kind: entry.kind });
            }
        }
        Ok(found)
    }

    /// The handle of the folder in which a name stands, judged, and the name.
    fn named<'p>(&self, path: &'p WorkspacePath) -> Result<(Dir, &'p Path), FileError> {
        let Some(name) = path.relative().file_name() else {
            return Err(FileError::Root);
        };
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        let parent = self.judged(&WorkspacePath::inside(parent.to_path_buf()))?;
        Ok((self.folder(path, parent.relative())?, Path::new(name)))
    }
}
