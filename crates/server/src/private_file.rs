//! Files that only the user can read.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Largest file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Reads a file. Returns `None` if it does not exist.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let opened = match std::fs::File::open(path) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    opened.take(FILE_BYTES).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Replaces a file as a whole.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(folder)?;
    // A temporary file has the mode 0600.
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(content)?;
    written.as_file().sync_all()?;
    written.persist(path).map_err(|error| error.error)?;
    Ok(())
}
