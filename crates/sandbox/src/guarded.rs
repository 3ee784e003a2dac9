//! Records the files that decide which programs run later, before a command, and compares them after it.
//! Changes that a level cannot prevent are at least detected.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::grants::repository::{NAMES, REPORTED};
use crate::scan::{Limits, Scan};

/// The maximum number of files, the maximum depth in a protected folder, and the number of bytes read of each
/// file.
const FILES: usize = 500;
const DEPTH: usize = 3;
const BYTES: u64 = 1024 * 1024;
/// The maximum nesting of repositories: those of submodules and of linked work trees.
const NESTED: usize = 3;
/// The folders of a repository that contain such repositories.
const NESTING: [&str; 2] = ["modules", "worktrees"];

/// A snapshot of the protected files of a workspace.
///
/// ```
/// use windlass_sandbox::ProtectedSnapshot;
/// let folder = tempfile::tempdir()?;
/// let before = ProtectedSnapshot::take(folder.path());
/// std::fs::create_dir_all(folder.path().join("sub/.git"))?;
/// std::fs::write(folder.path().join("sub/.git/config"), "[core]\n")?;
/// let changed = before.changes_since(&ProtectedSnapshot::take(folder.path()));
/// assert_eq!(changed, [folder.path().join("sub/.git/config")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtectedSnapshot(BTreeMap<PathBuf, Vec<u8>>);

impl ProtectedSnapshot {
    /// Takes a snapshot of a workspace, in bounded time.
    pub fn take(workspace: &Path) -> Self {
        let mut guarded = Self::default();
        let scan = Scan::run(workspace, Limits::default());
        for path in scan.protected {
            if path.ends_with(".git") && path.is_dir() {
                guarded.note_repository(&path, NESTED);
            } else {
                guarded.note(&path, DEPTH);
            }
        }
        for path in scan.bare {
            guarded.note_repository(&path, 0);
        }
        guarded
    }

    /// Returns the files that were created, changed or removed since, sorted.
    pub fn changes_since(&self, now: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !now.0.contains_key(*path));
        let other = now.0.iter().filter(|(path, digest)| self.0.get(*path) != Some(digest));
        let mut changed: Vec<_> = gone.chain(other.map(|(path, _)| path)).cloned().collect();
        changed.sort_unstable();
        changed
    }

    /// Records the names in a repository that decide which programs git runs, and links, because git writes
    /// through a link in the place of `logs/HEAD` or `packed-refs`. The rest of a repository changes with
    /// every commit and is not recorded.
    fn note_repository(&mut self, folder: &Path, nested: usize) {
        let names = NAMES.iter().map(|name| name.path).chain(REPORTED);
        for name in names.filter(|name| !NESTING.contains(name)) {
            self.note(&folder.join(name), DEPTH);
        }
        for place in ["", "logs", "refs", "refs/heads", "objects"] {
            for path in entries(&folder.join(place)) {
                if path.is_symlink() {
                    self.note(&path, 0);
                }
            }
        }
        for place in NESTING {
            for path in entries(&folder.join(place)).filter(|_| nested > 0) {
                // A submodule's name can have several parts.
                self.note_repository(&path, nested.saturating_sub(1));
            }
        }
    }

    fn note(&mut self, path: &Path, depth: usize) {
        let Ok(found) = path.symlink_metadata() else { return };
        if self.0.len() >= FILES {
            return;
        }
        if found.is_dir() {
            for path in entries(path).take_while(|_| depth > 0) {
                self.note(&path, depth.saturating_sub(1));
            }
        } else if found.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            self.0.insert(path.to_path_buf(), target.into_os_string().into_encoded_bytes());
        } else if found.is_file() {
            // A file that cannot be read is recorded by its name alone.
            self.0.insert(path.to_path_buf(), digest(path).unwrap_or_default());
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

fn digest(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(BYTES).read_to_end(&mut bytes)?;
    Ok(Sha256::digest(&bytes).to_vec())
}
