//! Snapshots of folders, for comparison with a later state.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The maximum length of a file that is digested. Longer files are compared by size and time only.
const READ_BYTES: u64 = 16 << 20;

/// Every name below a folder, with a description of its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    entries: BTreeMap<PathBuf, String>,
}

impl Snapshot {
    pub(crate) fn take(folder: &Path) -> Self {
        let mut snapshot = Self::default();
        snapshot.walk(folder);
        snapshot
    }

    /// Adds the entries of another snapshot.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    fn walk(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(about) = path.symlink_metadata() else { continue };
            let kind = about.file_type();
            let what = if kind.is_dir() {
                self.walk(&path);
                format!("folder {:o}", about.mode())
            } else if kind.is_symlink() {
                format!("link to {}", fs::read_link(&path).unwrap_or_default().display())
            } else if kind.is_file() && about.len() <= READ_BYTES {
                let digest = Sha256::digest(fs::read(&path).unwrap_or_default());
                format!("file {:o} {digest:?}", about.mode())
            } else {
                let special = kind.is_fifo() || kind.is_socket();
                format!(
                    "{} {:o} {} {}",
                    if special { "special" } else { "large" },
                    about.mode(),
                    about.len(),
                    about.mtime()
                )
            };
            self.entries.insert(path, what);
        }
    }

    /// Returns the names that were added, changed or removed since.
    pub(crate) fn changes(&self, later: &Self) -> Vec<String> {
        let names = self.entries.keys().chain(later.entries.keys());
        let mut changed: Vec<_> = names
            .filter(|name| self.entries.get(*name) != later.entries.get(*name))
            .map(|name| name.display().to_string())
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }
}
