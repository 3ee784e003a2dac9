//! Free space of a disk. A process tree has no limit of its own for bytes or files.

use std::io;
use std::path::Path;

/// Returns the number of bytes that this user can still write to the path's file system.
///
/// # Errors
/// If the system call fails.
#[cfg(target_os = "linux")]
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = nix::sys::statvfs::statvfs(path)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}

/// Returns the number of bytes that this user can still write to the path's file system.
///
/// # Errors
/// Always, because this system is not supported.
#[cfg(not(target_os = "linux"))]
pub fn free_bytes(_: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the number of files that this user can still create on the path's file system, or `None` if the
/// file system has no fixed number.
///
/// # Errors
/// If the system call fails.
#[cfg(target_os = "linux")]
pub fn free_files(path: &Path) -> io::Result<Option<u64>> {
    let found = nix::sys::statvfs::statvfs(path)?;
    Ok((found.files() > 0).then(|| found.files_available()))
}

/// Returns the number of files that this user can still create on the path's file system.
///
/// # Errors
/// Always, because this system is not supported.
#[cfg(not(target_os = "linux"))]
pub fn free_files(_: &Path) -> io::Result<Option<u64>> {
    Err(io::ErrorKind::Unsupported.into())
}
