//! Lookup of programs by name, in folders that the workspace cannot change.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use windlass_sandbox::programs_of;

/// The system's folders for programs. They come after the user's own folders.
const SYSTEM: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The folders in which programs are looked up. Relative folders and folders inside the workspace are
/// excluded.
#[derive(Clone, Debug)]
pub(crate) struct Programs(Vec<PathBuf>);

impl Programs {
    /// Collects the folders of a search path, and then those of the system.
    pub(crate) fn new(path: &OsString, workspace: &Path) -> Self {
        let mut folders = programs_of(path, workspace);
        for folder in SYSTEM.map(PathBuf::from) {
            if !folders.contains(&folder) && folder.is_dir() {
                folders.push(folder);
            }
        }
        Self(folders)
    }

    /// Returns only the system's folders.
    pub(crate) fn system() -> Self {
        Self(SYSTEM.map(PathBuf::from).to_vec())
    }

    /// Returns the path of a program, or `None` if no folder has an executable file of this name.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') {
            return None;
        }
        self.0.iter().map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// Returns the value of `PATH` for the environment of a process.
    pub(crate) fn to_path_value(&self) -> OsString {
        std::env::join_paths(&self.0).unwrap_or_default()
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
