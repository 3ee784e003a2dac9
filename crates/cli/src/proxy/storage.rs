//! Files of the gateway that are replaced as a whole.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

/// Replaces a file as a whole. Only its owner can read it.
pub(super) fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let failure = || format!("{} cannot be written", path.display());
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(failure)?;
    file.write_all(text.as_bytes()).with_context(failure)?;
    file.as_file().sync_all().with_context(failure)?;
    file.persist(path).with_context(failure)?;
    Ok(())
}
