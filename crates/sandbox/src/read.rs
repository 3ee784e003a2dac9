//! Reading a file below the workspace's handle.

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
pub use self::settings::{SettingsOwner, read_settings, settings_files};
pub use self::stream::FileStream;

/// How many bytes of a file are read at the most.
pub const MAX_FILE_BYTES: u64 = 80 * 1024 * 1024;

/// What a file held when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The real path, links followed.
    pub path: WorkspacePath,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The bytes' fingerprint.
    pub version: Version,
    pub(crate) permissions: Permissions,
}

impl Workspace {
    /// Reads a whole regular file, at most [`MAX_FILE_BYTES`]. Links inside the workspace are followed.
    ///
    /// It never waits: a pipe or a device is refused, also when it takes a file's place meanwhile.
    ///
    /// # Errors
    /// If it is missing, no regular file, too large, or leads out of the workspace.
    pub fn read(&self, path: &WorkspacePath) -> Result<Contents, FileError> {
        let real = self.judged(path)?;
        let (mut file, metadata) = self.open_real(&real)?;
        let bytes = read_all(&mut file, &metadata, &real)?;
        let permissions = metadata.permissions();
        Ok(Contents { version: Version::of(&bytes), path: real, bytes, permissions })
    }

    /// Opens what is already a real path; a link that took the place of a part meanwhile is refused.
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
    // The look before the open only makes better words: opening a folder or a socket fails with less.
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
    // One byte more than the limit tells a file that grows, or that lies about its length.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| FileError::from_io(path, error))?;
    match bytes.len() as u64 {
        len if len > MAX_FILE_BYTES => Err(too_large(len)),
        _ => Ok(bytes),
    }
}

fn regular(metadata: &Metadata, path: &WorkspacePath) -> Result<(), FileError> {
    match Kind::of(metadata.file_type()) {
        Kind::File => Ok(()),
        kind => Err(FileError::NotAFile { path: path.to_string(), kind }),
    }
}
