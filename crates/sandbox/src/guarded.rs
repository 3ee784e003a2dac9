//! Files that decide what runs later, remembered before a command and compared after it: what a level cannot
//! protect is at least seen.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::scan::{Limits, Scan};

/// How many files are looked at, how deep in a protected folder, and how much of each is read.
const FILES: usize = 500;
const DEPTH: usize = 3;
const BYTES: u64 = 1024 * 1024;
/// What in a repository decides what runs; the rest of it changes with every commit.
const REPOSITORY: [&str; 3] = ["config", "config.worktree", "hooks"];

/// The protected files of a workspace, as they were.
///
/// ```
/// use windlass_sandbox::Guarded;
/// let folder = tempfile::tempdir()?;
/// let before = Guarded::of(folder.path());
/// std::fs::create_dir_all(folder.path().join("sub/.git"))?;
/// std::fs::write(folder.path().join("sub/.git/config"), "[core]\n")?;
/// let changed = before.changed(&Guarded::of(folder.path()));
/// assert_eq!(changed, [folder.path().join("sub/.git/config")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarded(BTreeMap<PathBuf, Vec<u8>>);

impl Guarded {
    /// Looks at a workspace, in bounded time.
    pub fn of(workspace: &Path) -> Self {
        let mut guarded = Self::default();
        for path in Scan::of(workspace, Limits::default()).protected {
            if path.ends_with(".git") && path.is_dir() {
                for name in REPOSITORY {
                    guarded.note(&path.join(name), DEPTH);
                }
            } else {
                guarded.note(&path, DEPTH);
            }
        }
        guarded
    }

    /// The files that were made, changed or removed since.
    pub fn changed(&self, now: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !now.0.contains_key(*path));
        let other = now.0.iter().filter(|(path, digest)| self.0.get(*path) != Some(digest));
        let mut changed: Vec<_> = gone.chain(other.map(|(path, _)| path)).cloned().collect();
        changed.sort_unstable();
        changed
    }

    fn note(&mut self, path: &Path, depth: usize) {
        let Ok(found) = path.symlink_metadata() else { return };
        if self.0.len() >= FILES {
            return;
        }
        if found.is_dir() {
            let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
            for entry in entries.take_while(|_| depth > 0) {
                self.note(&entry.path(), depth.saturating_sub(1));
            }
        } else if found.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            self.0.insert(path.to_path_buf(), target.into_os_string().into_encoded_bytes());
        } else if found.is_file() {
            // What cannot be read is known by its name alone.
            self.0.insert(path.to_path_buf(), digest(path).unwrap_or_default());
        }
    }
}

fn digest(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(BYTES).read_to_end(&mut bytes)?;
    Ok(Sha256::digest(&bytes).to_vec())
}
