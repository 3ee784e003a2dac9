//! Owners and modes of files of settings.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use windlass_hitl::Source;

use crate::error::{Result, ensure};

/// Checks that only the user or root can write a file of the user's settings.
pub(crate) fn check_owner(file: &Path) -> Result<()> {
    check_source_owner(file, Source::User)
}

/// Checks that only trusted users can write the file. A project's file can only tighten, so anyone may have
/// written it.
pub(super) fn check_source_owner(file: &Path, source: Source) -> Result<()> {
    let about = fs::metadata(file)?;
    ensure!(about.is_file(), Invalid, "it is not a regular file");
    if source == Source::Project {
        return Ok(());
    }
    let mode = about.permissions().mode();
    ensure!(mode & 0o002 == 0, Invalid, "every user can write to it; remove that permission with chmod go-w");
    // Group membership can change at any time, so a user's private group is not an exception.
    ensure!(mode & 0o020 == 0, Invalid, "its group can write to it; remove that permission with chmod g-w");
    let owner = about.uid();
    let is_own = source == Source::User && owner == rustix::process::getuid().as_raw();
    ensure!(owner == 0 || is_own, Invalid, "it belongs to another user ({owner})");
    Ok(())
}
