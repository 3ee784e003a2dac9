//! Reading files below the workspace's handle.

mod descent;
mod settings;
mod stream;

use std::io::Read;
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

use crate::{FileError, Kind, Version, Workspace, WorkspacePath};

pub use self::descent::Descent;
pub(crate) use self::settings::open_folder;
pub(crate) use self::settings::read_bytes;
pub use self::settings::{SettingsOwner, read_settings, settings_files};
pub use self::stream::FileStream;

/// The maximum length of a file that is read, in bytes: 80 MiB.
pub const MAX_FILE_BYTES: u64 = 80 * 1024 * 1024;

/// The contents of a file when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The real path, with links followed.
    pub path: WorkspacePath,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The fingerprint of the bytes.
    pub version: Version,
    pub(crate) permissions: Permissions,
}

impl Workspace {
    /// Reads a whole regular file of at most [`MAX_FILE_BYTES`]. Links inside the workspace are followed.
    ///
    /// The call never blocks: a pipe or a device is refused, even if it replaces the file during the call. An unsaved
    /// text that [`consult_editor`](Self::consult_editor) found counts instead of the file.
    ///
    /// # Errors
    /// If the file is missing, too large, not a regular file, or leads out of the workspace.
    pub fn read(&self, path: &WorkspacePath) -> Result<Contents, FileError> {
        let contents = self.read_disk(path)?;
        Ok(match self.find_unsaved(&contents.path, contents.version) {
            Some(unsaved) => {
                Contents { version: Version::compute(&unsaved.bytes), bytes: unsaved.bytes, ..contents }
            }
            None => contents,
        })
    }

    /// Reads a whole file as it is on disk.
    pub(crate) fn read_disk(&self, path: &WorkspacePath) -> Result<Contents, FileError> {
        let real = self.resolve_checked(path)?;
        let (mut file, metadata) = self.open_real(&real)?;
        let bytes = read_all(&mut file, &metadata, &real)?;
        let permissions = metadata.permissions();
        Ok(Contents { version: Version::compute(&bytes), path: real, bytes, permissions })
    }

    /// Opens a file by its real path. A link that has replaced a part of the path since is refused.
    pub(crate) fn open_real(&self, real: &WorkspacePath) -> Result<(File, Metadata), FileError> {
        if real.is_output() {
            return open_named(&self.handle(real)?, real, real.for_handle());
        }
        let path = real.relative();
        let Some(name) = path.file_name() else {
            return Err(FileError::NotAFile { path: real.to_string(), kind: Kind::Folder });
        };
        let folder = self.folder(real, path.parent().unwrap_or(Path::new("")))?;
        open_named(&folder, real, Path::new(name))
    }
}

pub(crate) fn open_named(
    dir: &Dir,
    path: &WorkspacePath,
    name: &Path,
) -> Result<(File, Metadata), FileError> {
    let failed = |error| FileError::from_io(path, error);
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    // The check before the open only gives a better message; opening a folder or a socket fails with a less
    // specific one.
    let before = dir.symlink_metadata(name).map_err(failed)?;
    regular(&before, path)?;
    let file = dir.open_with(name, &options).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    regular(&metadata, path)?;
    Ok((file, metadata))
}

pub(crate) fn read_all(
    file: &mut File,
    metadata: &Metadata,
    path: &WorkspacePath,
) -> Result<Vec<u8>, FileError> {
    let too_large = |len| FileError::TooLarge { path: path.to_string(), len, limit: MAX_FILE_BYTES };
    if metadata.len() > MAX_FILE_BYTES {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // Read one byte more than the limit, to detect a file that grows or reports a wrong length.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| FileError::from_io(path, error))?;
    match bytes.len() as u64 {
        len if len > MAX_FILE_BYTES => Err(too_large(len)),
        _ => Ok(bytes),
    }
}

fn regular(metadata: &Metadata, path: &WorkspacePath) -> Result<(), FileError> {
    match Kind::from_file_type(metadata.file_type()) {
        Kind::File => Ok(()),
        kind => Err(FileError::NotAFile { path: path.to_string(), kind }),
    }
}
