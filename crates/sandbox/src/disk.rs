//! How much room is left on a disk: a tree of processes has no limit of its own for bytes or files.

use std::io;
use std::path::Path;

/// How many bytes may still be written to the file system of a path, by this user.
///
/// # Errors
/// If the system does not say.
#[cfg(target_os = "linux")]
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = nix::sys::statvfs::statvfs(path)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}

/// How many bytes may still be written to the file system of a path, by this user.
///
/// # Errors
/// Always: nobody asks this system.
#[cfg(not(target_os = "linux"))]
pub fn free_bytes(_: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// How many files may still be made on the file system of a path, by this user; `None` where the file system has no
/// fixed number of them.
///
/// # Errors
/// If the system does not say.
#[cfg(target_os = "linux")]
pub fn free_files(path: &Path) -> io::Result<Option<u64>> {
    let found = nix::sys::statvfs::statvfs(path)?;
    Ok((found.files() > 0).then(|| found.files_available()))
}

/// How many files may still be made on the file system of a path, by this user.
///
/// # Errors
/// Always: nobody asks this system.
#[cfg(not(target_os = "linux"))]
pub fn free_files(_: &Path) -> io::Result<Option<u64>> {
    Err(io::ErrorKind::Unsupported.into())
}
