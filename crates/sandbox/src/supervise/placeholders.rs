//! Empty folders in the place of protected paths that are not there: what is not there cannot be mounted over.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Nobody writes into a placeholder; so one that was left behind is known again.
const MODE: u32 = 0o555;

/// The placeholders that this process holds. Several processes may hold the same one: the last takes it away.
pub(crate) struct Placeholders(Vec<(PathBuf, File)>);

impl Placeholders {
    /// Makes what is missing, and says which of the paths can be protected: where this user can make nothing,
    /// the child can neither.
    pub(crate) fn make(paths: &[PathBuf]) -> io::Result<(Self, Vec<PathBuf>)> {
        let mut held = Self(Vec::new());
        let mut there = Vec::new();
        for path in paths {
            match hold(path) {
                Ok(None) => {}
                Ok(Some(folder)) => held.0.push((path.clone(), folder)),
                Err(error) if is_closed(&error) => continue,
                Err(error) => return Err(error),
            }
            there.push(path.clone());
        }
        Ok((held, there))
    }
}

fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A handle on the placeholder at the path, or none where something real is there.
fn hold(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..100 {
        match DirBuilder::new().mode(MODE).create(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_placeholder(path) {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
        let Ok(folder) = File::open(path) else { continue };
        folder.lock_shared()?;
        // Another process may have taken it away while this one waited for the lock.
        let (ours, there) = (folder.metadata()?, fs::symlink_metadata(path));
        if there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
            return Ok(Some(folder));
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn is_placeholder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o222 == 0)
        && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for (path, folder) in self.0.iter().rev() {
            // Only an empty folder that nobody else holds goes.
            if folder.try_lock().is_ok() {
                let _ = fs::remove_dir(path);
            }
        }
    }
}
