//! The creation of folders for the user alone.

use std::path::Path;
use std::{fs, io};

/// Creates a folder and its parents with mode 0700. The mode of existing folders does not change.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
