//! Putting a name back to what it was: a file or a link, in one step, without following anything.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::PoisonError;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata, Permissions};

use super::draft::{self, Draft};
use crate::read::{open_named, read_all};
use crate::{FileError, Kind, Workspace, WorkspacePath};

/// What has a name, or is to have it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it is a program.
        run: Run,
    },
    /// A link, by what it says.
    Link {
        /// Where it leads, unjudged.
        target: PathBuf,
    },
    /// Nothing.
    Nothing,
    /// A folder, a pipe, a device: nothing that is put back.
    Other(Kind),
}

/// Whether a file's owner may run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a program or none, there is no third")]
pub enum Run {
    /// It is no program.
    Plain,
    /// It is one.
    Program,
}

impl Workspace {
    /// What has a name. Neither a link in its place nor one on the way is followed.
    ///
    /// # Errors
    /// If a part of the way is no folder, or the file is longer than what is read.
    pub fn standing(&self, path: &WorkspacePath) -> Result<Standing, FileError> {
        match self.real_folder(path) {
            Ok((folder, name)) => standing(&folder, path, name),
            Err(FileError::NotFound { .. }) => Ok(Standing::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Gives a name what it had, in place of what the caller saw there: in one step, its bytes synced, with the folders on the
    /// way. A file that stays one keeps its mode bits but for those that make it a program. Nothing takes the name away.
    ///
    /// # Errors
    /// If the workspace is read-only, something else has the name now, or a link stands on the way.
    pub fn put_back(
        &self,
        path: &WorkspacePath,
        seen: &Standing,
        wanted: &Standing,
    ) -> Result<(), FileError> {
        self.check_writable(path)?;
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error| FileError::from_io(path, error);
        if !matches!(wanted, Standing::Nothing) {
            self.make_folders(path)?;
        }
        let (folder, name) = match self.real_folder(path) {
            Err(FileError::NotFound { .. }) if *seen == Standing::Nothing => return Ok(()),
            found => found?,
        };
        let still = || match standing(&folder, path, name)? {
            now if now == *seen => Ok(()),
            _ => Err(FileError::Stale { path: path.to_string() }),
        };
        match wanted {
            Standing::File { bytes, run } => {
                let permissions = permissions_of(&folder, name).map(|old| with_run(&old, *run));
                let draft = Draft::new(&self.dir, bytes, permissions.as_ref()).map_err(failed)?;
                if permissions.is_none() && *run == Run::Program {
                    draft.make_program().map_err(failed)?;
                }
                still()?;
                draft.replace(&folder, name).map_err(failed)
            }
            Standing::Link { target } => {
                let draft = draft::Link::new(&self.dir, target).map_err(failed)?;
                still()?;
                draft.replace(&folder, name).map_err(failed)
            }
            Standing::Nothing => {
                still()?;
                if *seen == Standing::Nothing { Ok(()) } else { folder.remove_file(name).map_err(failed) }
            }
            Standing::Other(kind) => Err(FileError::NotAFile { path: path.to_string(), kind: *kind }),
        }
    }

    /// The folder of a name by its words alone, and the name.
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

fn standing(folder: &Dir, path: &WorkspacePath, name: &Path) -> Result<Standing, FileError> {
    let failed = |error| FileError::from_io(path, error);
    let found = match folder.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
        found => found.map_err(failed)?,
    };
    match Kind::of(found.file_type()) {
        Kind::File => {
            let (mut file, metadata) = open_named(folder, path, name)?;
            let run = run_of(&metadata.permissions());
            Ok(Standing::File { bytes: read_all(&mut file, &metadata, path)?, run })
        }
        Kind::Link => Ok(Standing::Link { target: folder.read_link_contents(name).map_err(failed)? }),
        kind => Ok(Standing::Other(kind)),
    }
}

/// The mode of a file that has the name; a link's is none that a file could keep.
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

/// Whoever may read a program may run it.
#[cfg(unix)]
pub(super) fn with_run(permissions: &Permissions, run: Run) -> Permissions {
    use cap_std::fs::PermissionsExt;
    // A file that was put back is no setuid one, whatever had its name.
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
