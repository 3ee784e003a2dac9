//! The profile folder of one browser. It is created for the browser, locked while this process lives, and
//! removed by a later process if this one is killed.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// The prefix of the names of all profile folders.
const PREFIX: &str = "windlass-browser-";
/// The file whose lock shows that the owner of the folder lives. A folder without this file is never removed.
const LOCK: &str = "windlass.lock";
/// The mode of a folder: only the user can read the cookies in it.
const MODE: u32 = 0o700;
/// The number of attempts to create a folder, because a sweep can remove a folder before it is locked.
const ATTEMPTS: u32 = 8;
/// The maximum number of names in the temporary folder that a sweep examines.
const MOST_NAMES: usize = 100_000;

/// A browser's profile folder. Dropping it removes the folder, unless another process creates a file in it
/// meanwhile.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    /// The lock is held until the folder is removed. The operating system releases it at every end of this
    /// process.
    _lock: File,
}

impl Profile {
    /// Creates a profile in the folder for temporary files.
    pub(crate) fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    fn create_in(above: &Path) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new()
                .prefix(PREFIX)
                .permissions(fs::Permissions::from_mode(MODE))
                .tempdir_in(above)?;
            let lock =
                File::options().write(true).create_new(true).mode(0o600).open(folder.path().join(LOCK));
            match lock.and_then(|lock| Ok(is_locked(&lock)?.then_some(lock))) {
                Ok(Some(lock)) => return Ok(Self { path: folder.keep(), _lock: lock }),
                Ok(None) => {}
                // A sweep removed the folder between its creation and the lock.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("a folder for the browser was removed as soon as it was made"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder. Returns whether it is gone: a process that was just killed may still create a file
    /// in it.
    pub(crate) fn remove(&self) -> bool {
        remove(&self.path);
        self.path.symlink_metadata().is_err()
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the browser profiles of killed processes from the folder for temporary files.
///
/// A killed process cannot remove its browser's profile, which contains cookies. Every start of a browser
/// calls this function, and a program may also call it at its own start. It removes only folders that have
/// this crate's prefix, belong to this user, have mode 0700, and contain a lock file that no living process
/// has locked.
pub fn remove_stale_profiles() {
    sweep(&std::env::temp_dir());
}

fn sweep(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().take(MOST_NAMES).flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            let path = entry.path();
            // The lock is held until the folder is removed, so two sweeps never remove the same folder.
            if let Some(_lock) = stale_lock(&path) {
                remove(&path);
            }
        }
    }
}

/// Locks the lock file of a profile whose owner is gone. Returns `None` for every other folder. All checks
/// use handles, because the meaning of a name can change between two calls.
fn stale_lock(path: &Path) -> Option<File> {
    let own = rustix::process::geteuid().as_raw();
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(openat(CWD, path, folder, Mode::empty()).ok()?);
    let about = folder.metadata().ok()?;
    if about.uid() != own || about.mode() & 0o7777 != MODE {
        return None;
    }
    let lock = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let lock = File::from(openat(&folder, LOCK, lock, Mode::empty()).ok()?);
    let of_lock = lock.metadata().ok()?;
    if !of_lock.is_file() || of_lock.uid() != own || !is_locked(&lock).ok()? {
        return None;
    }
    let now = path.symlink_metadata().ok()?;
    (now.ino() == about.ino() && now.dev() == about.dev()).then_some(lock)
}

/// Locks a file without waiting. Returns `false` if another process has the lock, or if the file was
/// unlinked.
fn is_locked(lock: &File) -> io::Result<bool> {
    match lock.try_lock() {
        Ok(()) => Ok(lock.metadata()?.nlink() > 0),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes a folder, its lock file last, so an interrupted removal is still recognised as stale.
fn remove(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_name() != OsStr::new(LOCK) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // Errors are ignored, because the folder is checked for remaining entries afterwards.
            let _ = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
        }
    }
    let is_other = |entry: fs::DirEntry| entry.file_name() != OsStr::new(LOCK);
    if fs::read_dir(path).is_ok_and(|left| left.flatten().any(is_other)) {
        return;
    }
    let lock = path.join(LOCK);
    let _ = fs::remove_file(&lock);
    if fs::remove_dir(path).is_err() {
        // Another process created a file after the check. Without a lock file no sweep would remove this
        // folder.
        let _ = File::create_new(lock);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder(above: &Path, name: &str, mode: u32, lock: Option<&str>) -> PathBuf {
        let path = above.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("Cookies"), "a=b").unwrap();
        if let Some(lock) = lock {
            fs::write(path.join(lock), "").unwrap();
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_profile_folder_is_private_and_removed_with_its_owner() {
        let above = tempfile::tempdir().unwrap();
        let profile = Profile::create_in(above.path()).unwrap();
        let path = profile.path().to_owned();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, MODE);
        fs::create_dir(path.join("Default")).unwrap();
        fs::write(path.join("Default/Cookies"), "a=b").unwrap();
        sweep(above.path());
        assert!(path.join("Default/Cookies").exists(), "the owner lives");
        drop(profile);
        assert!(!path.exists());
    }

    #[test]
    fn only_own_stale_profiles_are_removed() {
        let above = tempfile::tempdir().unwrap();
        let living = Profile::create_in(above.path()).unwrap();
        let stale = folder(above.path(), "windlass-browser-stale", MODE, Some(LOCK));
        let elsewhere = folder(above.path(), "elsewhere", MODE, Some(LOCK));
        let kept = [
            living.path().to_owned(),
            elsewhere.clone(),
            folder(above.path(), "windlass-other-a", MODE, Some(LOCK)),
            folder(above.path(), "windlass-browser-open", 0o755, Some(LOCK)),
            folder(above.path(), "windlass-browser-group", 0o770, Some(LOCK)),
            folder(above.path(), "windlass-browser-unlocked", MODE, None),
            folder(above.path(), "windlass-browser-other", MODE, Some("lock")),
        ];
        let links = folder(above.path(), "windlass-browser-links", MODE, None);
        symlink(elsewhere.join(LOCK), links.join(LOCK)).unwrap();
        symlink(&elsewhere, above.path().join("windlass-browser-link")).unwrap();
        fs::write(above.path().join("windlass-browser-file"), "").unwrap();
        if rustix::process::geteuid().is_root() {
            let others = folder(above.path(), "windlass-browser-others", MODE, Some(LOCK));
            std::os::unix::fs::chown(&others, Some(12_345), None).unwrap();
            sweep(above.path());
            assert!(others.join("Cookies").exists(), "another user's");
        }
        sweep(above.path());
        assert!(!stale.exists());
        for path in kept {
            assert!(path.exists(), "{}", path.display());
        }
        assert!(elsewhere.join("Cookies").exists() && links.exists());
        for name in ["windlass-browser-link", "windlass-browser-file"] {
            assert!(above.path().join(name).symlink_metadata().is_ok(), "{name}");
        }
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }

    #[test]
    fn concurrent_sweeps_and_starts_keep_active_profiles() {
        let above = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..300).for_each(|_| sweep(above.path())));
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let profile = Profile::create_in(above.path()).unwrap();
                        fs::write(profile.path().join("Cookies"), "a=b").unwrap();
                        std::thread::yield_now();
                        assert!(profile.path().join("Cookies").exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
    }
}
