//! Files of a run: private, written whole, and read with errors that name the path.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use windlass_protocol::RawJson;

use crate::StoreError;

pub(super) fn io_error(path: &Path, doing: &'static str, source: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), doing, source }
}

/// Creates a folder and its parents with mode 0700. The mode of existing folders does not change.
pub(super) fn make_folder(path: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| io_error(path, "made", source))
}

/// Returns the names in a folder in ascending order, without temporary and locking files, whose names begin
/// with a dot. Returns no names if the folder does not exist.
pub(super) fn list_names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io_error(folder, "read", source)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    Ok(names)
}

/// Replaces a file atomically and durably. Only the user can access it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(path);
    make_folder(folder)?;
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|source| io_error(path, "written", source))
}

/// Writes a file that must not exist.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(path);
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|source| io_error(path, "written", source))
}

/// Opens a private file for reading and writing, and creates it if necessary.
pub(super) fn open_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| io_error(path, "opened", source))
}

/// Reads a file that must contain JSON.
pub(super) fn read_json(path: &Path, run: &str, what: &'static str) -> Result<RawJson, StoreError> {
    let text = fs::read_to_string(path).map_err(|source| io_error(path, "read", source))?;
    text.trim().parse().map_err(|_| StoreError::Damaged { run: run.to_owned(), what })
}
