//! Stand-ins for protected paths that are missing, because a missing path cannot be mounted over.
//!
//! An unconfined process creates them, in folders that other children may rename at any moment. Each stand-in
//! is therefore created, checked and removed by the handle of its folder, and no link on the way is followed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fchmod, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::confinement::stand_in::{ProtectedPath, StandIn};
use crate::namespaces::below;

/// The mode bits of a stand-in. The missing write permission identifies a stand-in that was left behind.
const FOLDER_MODE: Mode = Mode::S_IRUSR
    .union(Mode::S_IXUSR)
    .union(Mode::S_IRGRP)
    .union(Mode::S_IXGRP)
    .union(Mode::S_IROTH)
    .union(Mode::S_IXOTH);
const FILE_MODE: Mode = Mode::S_IRUSR.union(Mode::S_IRGRP).union(Mode::S_IROTH);
/// The number of attempts for a stand-in that another process is removing.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(5);

/// The stand-ins that this process holds. Several processes may hold the same one; the last of them removes
/// it.
#[derive(Default)]
pub(crate) struct Placeholders {
    held: Vec<HeldPlaceholder>,
    /// Folders that were created to hold a stand-in. They are removed if they are empty.
    made: Vec<(OwnedFd, OsString)>,
}

struct HeldPlaceholder {
    folder: OwnedFd,
    name: OsString,
    stand_in: StandIn,
    file: File,
}

impl Placeholders {
    /// Creates the missing stand-ins and returns the paths that can be protected. A path is left out if this
    /// user cannot create it, because then the child cannot either.
    ///
    /// # Errors
    /// If a folder on the way is a link or was removed. The stand-ins created so far are removed.
    pub(crate) fn make(paths: &[ProtectedPath]) -> io::Result<(Self, Vec<ProtectedPath>)> {
        let mut placeholders = Self::default();
        let mut there = Vec::new();
        for protected in paths {
            match placeholders.add(protected) {
                Ok(()) => there.push(protected.clone()),
                Err(error) if is_closed(&error) => {}
                Err(error) => {
                    let path = protected.path.display();
                    return Err(io::Error::new(
                        error.kind(),
                        format!("`{path}` cannot be protected: {error}"),
                    ));
                }
            }
        }
        Ok((placeholders, there))
    }

    fn add(&mut self, protected: &ProtectedPath) -> io::Result<()> {
        let below = protected.path.strip_prefix("/").map_err(io::Error::other)?;
        let (folder, name) = self.folder(below)?;
        if let Some(file) = hold(&folder, &name, protected.stand_in)? {
            self.held.push(HeldPlaceholder { folder, name, stand_in: protected.stand_in, file });
        }
        Ok(())
    }

    /// Opens the folder of a path. Creates it if it is missing, for example `info` in a repository without
    /// it.
    fn folder(&mut self, below: &Path) -> io::Result<(OwnedFd, OsString)> {
        let root = below::root(Path::new("/"))?;
        match below::parent(&root, below) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let name = below.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let mut folder = root;
        for part in below.parent().unwrap_or(Path::new("")).components() {
            let Component::Normal(part) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
            let next = match below::folder_in(&folder, Path::new(part)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    mkdirat(&folder, part, Mode::from_bits_truncate(0o755))?;
                    self.made.push((folder.try_clone()?, part.to_owned()));
                    below::folder_in(&folder, Path::new(part))?
                }
                found => found?,
            };
            folder = next;
        }
        Ok((folder, name))
    }
}

fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Opens and locks the stand-in with this name. Returns `None` if another file or folder has the name.
fn hold(folder: &OwnedFd, name: &OsStr, stand_in: StandIn) -> io::Result<Option<File>> {
    for _ in 0..LOOKS {
        if !create_stand_in(folder, name, stand_in)? {
            match is_stand_in(folder, name, stand_in) {
                Ok(true) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Ok(false) | Err(_) => return Ok(None),
            }
        }
        let Ok(file) = open_plain(folder, name) else { continue };
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Another process may have removed it before this one got the lock.
        if is_same(folder, name, &file)? {
            return Ok(Some(file));
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Creates a stand-in. Returns `false` if the name is taken.
fn create_stand_in(folder: &OwnedFd, name: &OsStr, stand_in: StandIn) -> io::Result<bool> {
    let made = match stand_in.bytes() {
        None => mkdirat(folder, name, FOLDER_MODE),
        Some(bytes) => {
            let flags =
                OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            openat(folder, name, flags, Mode::S_IRUSR | Mode::S_IWUSR).and_then(|file| {
                let mut file = File::from(file);
                let filled = file.write_all(bytes).map_err(|_| Errno::EIO);
                filled.and_then(|()| fchmod(&file, FILE_MODE)).inspect_err(|_| {
                    let _ = unlinkat(folder, name, UnlinkatFlags::NoRemoveDir);
                })
            })
        }
    };
    match made {
        Ok(()) => Ok(true),
        Err(Errno::EEXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a file or folder by its bare name. A link is refused, and the call does not block on a pipe.
fn open_plain(folder: &OwnedFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::empty())?))
}

/// Returns true if the name belongs to a stand-in of this or an earlier process.
fn is_stand_in(folder: &OwnedFd, name: &OsStr, stand_in: StandIn) -> io::Result<bool> {
    let found = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
    let kind = SFlag::from_bits_truncate(found.st_mode & SFlag::S_IFMT.bits());
    if found.st_mode & 0o222 != 0 {
        return Ok(false);
    }
    match stand_in.bytes() {
        None => Ok(kind == SFlag::S_IFDIR),
        Some(bytes) => {
            let is_alike = kind == SFlag::S_IFREG && u64::try_from(found.st_size) == Ok(bytes.len() as u64);
            if !is_alike {
                return Ok(false);
            }
            let mut held = Vec::new();
            open_plain(folder, name)?.take(bytes.len() as u64 + 1).read_to_end(&mut held)?;
            Ok(held == bytes)
        }
    }
}

fn is_same(folder: impl AsFd, name: &OsStr, file: &File) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(there) => Ok((there.st_dev, there.st_ino) == (ours.dev(), ours.ino())),
        Err(Errno::ENOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for held in self.held.iter().rev() {
            // Remove only stand-ins that no other process holds, and only empty folders.
            let is_last = held.file.try_lock().is_ok();
            if !is_last || !is_same(&held.folder, &held.name, &held.file).unwrap_or_default() {
                continue;
            }
            let name = held.name.as_os_str();
            let is_ours = is_stand_in(&held.folder, name, held.stand_in).unwrap_or_default();
            let how = match held.stand_in.bytes() {
                None => UnlinkatFlags::RemoveDir,
                Some(_) => UnlinkatFlags::NoRemoveDir,
            };
            if is_ours {
                let _ = unlinkat(&held.folder, name, how);
            }
        }
        for (folder, name) in self.made.iter().rev() {
            let _ = unlinkat(folder, name.as_os_str(), UnlinkatFlags::RemoveDir);
        }
    }
}
