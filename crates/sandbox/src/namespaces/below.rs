//! Opens files and folders by handles, one name at a time. A link in the place of a folder on the way is an
//! error and is never followed.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::Mode;

/// Opens a starting folder by a trusted path.
pub(crate) fn root(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    open(path, flags, Mode::empty()).map_err(Into::into)
}

/// Opens the folder that holds the last name of a path below `root`, and returns the folder with that name.
///
/// # Errors
/// If a folder on the way is missing or is a link, or the path has parts other than plain names.
pub(crate) fn parent(root: impl AsFd, below: &Path) -> io::Result<(OwnedFd, OsString)> {
    let name = below.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    let mut folder = root.as_fd().try_clone_to_owned()?;
    for part in below.parent().unwrap_or(Path::new("")).components() {
        let Component::Normal(part) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        folder = folder_in(&folder, Path::new(part))?;
    }
    Ok((folder, name))
}

/// Opens a folder by its bare name, without following a link. The handle only names the folder.
pub(crate) fn folder_in(folder: impl AsFd, name: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(folder, name, flags, Mode::empty()).map_err(Into::into)
}

/// Opens the file, folder or link at a path below `root`. A link is not followed. The handle only names it.
pub(crate) fn open_name(root: impl AsFd, below: &Path) -> io::Result<OwnedFd> {
    let (folder, name) = parent(root, below)?;
    let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(folder, name.as_os_str(), flags, Mode::empty()).map_err(Into::into)
}
