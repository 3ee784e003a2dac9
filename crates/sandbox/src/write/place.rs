//! Restores the earlier state of a name, a file or a link, in one step and without following links.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::PoisonError;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata, Permissions};

use super::draft::{self, Draft};
use crate::read::{open_named, read_all};
use crate::{FileError, Kind, Workspace, WorkspacePath};

/// The state of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathState {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its execute permission.
        run: Run,
    },
    /// A symbolic link.
    Link {
        /// Its target as it is written, unchecked.
        target: PathBuf,
    },
    /// The name does not exist.
    Nothing,
    /// A folder, a pipe or a device, which cannot be restored.
    Other(Kind),
}

/// The execute permission of a file's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a program or none; the set is closed")]
pub enum Run {
    /// The file is not executable.
    Plain,
    /// The file is executable.
    Program,
}

impl Workspace {
    /// Returns the state of a name. Links are not followed, neither the last part nor its parents.
    ///
    /// # Errors
    /// If a parent is not a folder, or the file is too long to be read.
    pub fn state(&self, path: &WorkspacePath) -> Result<PathState, FileError> {
        match self.real_folder(path) {
            Ok((folder, name)) => state(&folder, path, name),
            Err(FileError::NotFound { .. }) => Ok(PathState::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Restores a name to `wanted`, if its state is still `seen`: in one step, with the bytes synced and
    /// missing parents created. A file that stays a file keeps its mode bits except the execute bits.
    /// `PathState::Nothing` removes the name.
    ///
    /// # Errors
    /// If the workspace is read-only, the state of the name has changed, or a parent is a link.
    pub fn put_back(
        &self,
        path: &WorkspacePath,
        seen: &PathState,
        wanted: &PathState,
    ) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error| FileError::from_io(path, error);
        if !matches!(wanted, PathState::Nothing) {
            self.make_folders(path)?;
        }
        let (folder, name) = match self.real_folder(path) {
            Err(FileError::NotFound { .. }) if *seen == PathState::Nothing => return Ok(()),
            found => found?,
        };
        let still = || match state(&folder, path, name)? {
            now if now == *seen => Ok(()),
            _ => Err(FileError::Stale { path: path.to_string() }),
        };
        match wanted {
            PathState::File { bytes, run } => {
                let permissions = permissions_of(&folder, name).map(|old| with_run(&old, *run));
                let draft = Draft::new(&self.dir, bytes, permissions.as_ref()).map_err(failed)?;
                if permissions.is_none() && *run == Run::Program {
                    draft.make_program().map_err(failed)?;
                }
                still()?;
                draft.replace(&folder, name).map_err(failed)
            }
            PathState::Link { target } => {
                let draft = draft::Link::new(&self.dir, target).map_err(failed)?;
                still()?;
                draft.replace(&folder, name).map_err(failed)
            }
            PathState::Nothing => {
                still()?;
                if *seen == PathState::Nothing { Ok(()) } else { folder.remove_file(name).map_err(failed) }
            }
            PathState::Other(kind) => Err(FileError::NotAFile { path: path.to_string(), kind: *kind }),
        }
    }

    /// Opens the parent folder without following links, and returns it with the name.
    fn real_folder<'p>(&self, path: &'p WorkspacePath) -> Result<(Dir, &'p Path), FileError> {
        let name = path.relative().file_name().ok_or(FileError::Root)?;
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        Ok((self.folder(path, parent)?, Path::new(name)))
    }

    fn make_folders(&self, path: &WorkspacePath) -> Result<(), FileError> {
        let failed = |error| FileError::from_io(path, error);
        let mut folder = self.dir.try_clone().map_err(failed)?;
        for part in path.relative().parent().unwrap_or(Path::new("")).components() {
            let Component::Normal(part) = part else { continue };
            match folder.create_dir(part) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
                _ => {}
            }
            folder = folder.open_dir_nofollow(part).map_err(failed)?;
        }
        Ok(())
    }
}

fn state(folder: &Dir, path: &WorkspacePath, name: &Path) -> Result<PathState, FileError> {
    let failed = |error| FileError::from_io(path, error);
    let found = match folder.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PathState::Nothing),
        found => found.map_err(failed)?,
    };
    match Kind::from_file_type(found.file_type()) {
        Kind::File => {
            let (mut file, metadata) = open_named(folder, path, name)?;
            let run = run_of(&metadata.permissions());
            Ok(PathState::File { bytes: read_all(&mut file, &metadata, path)?, run })
        }
        Kind::Link => Ok(PathState::Link { target: folder.read_link_contents(name).map_err(failed)? }),
        kind => Ok(PathState::Other(kind)),
    }
}

/// Returns the mode of an existing file. A link's mode does not apply to a file.
fn permissions_of(folder: &Dir, name: &Path) -> Option<Permissions> {
    folder.symlink_metadata(name).ok().filter(Metadata::is_file).map(|found| found.permissions())
}

#[cfg(unix)]
pub(crate) fn run_of(permissions: &Permissions) -> Run {
    use cap_std::fs::PermissionsExt;
    if permissions.mode() & 0o100 == 0 { Run::Plain } else { Run::Program }
}

#[cfg(not(unix))]
pub(crate) fn run_of(_: &Permissions) -> Run {
    Run::Plain
}

/// Sets or clears the execute permission. Each user who may read a program may run it.
#[cfg(unix)]
pub(super) fn with_run(permissions: &Permissions, run: Run) -> Permissions {
    use cap_std::fs::PermissionsExt;
    // A restored file never gets the setuid or setgid bit.
    let mode = permissions.mode() & 0o777;
    let mode = match run {
        Run::Plain => mode & !0o111,
        Run::Program => mode | ((mode & 0o444) >> 2),
    };
    Permissions::from_mode(mode)
}

#[cfg(not(unix))]
pub(super) fn with_run(permissions: &Permissions, _: Run) -> Permissions {
    permissions.clone()
}
