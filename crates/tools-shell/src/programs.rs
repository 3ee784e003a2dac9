//! Which file a program's name means: looked up once in folders that no workspace can change.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use windlass_sandbox::programs_of;

/// Where systems keep their programs; after the user's own folders.
const SYSTEM: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The folders in which programs are looked up. Never the workspace, never the folder that one is in.
#[derive(Clone, Debug)]
pub(crate) struct Programs(Vec<PathBuf>);

impl Programs {
    /// The folders of a search path, and the system's.
    pub(crate) fn new(path: &OsString, workspace: &Path) -> Self {
        let mut folders = programs_of(path, workspace);
        for folder in SYSTEM.map(PathBuf::from) {
            if !folders.contains(&folder) && folder.is_dir() {
                folders.push(folder);
            }
        }
        Self(folders)
    }

    /// The system's folders alone.
    pub(crate) fn system() -> Self {
        Self(SYSTEM.map(PathBuf::from).to_vec())
    }

    /// The absolute path of a program.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') {
            return None;
        }
        self.0.iter().map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// The value of `PATH` for what a program starts itself.
    pub(crate) fn joined(&self) -> OsString {
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
