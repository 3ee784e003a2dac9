//! Finds the protected names and the secrets of a workspace, in bounded time.
//!
//! Other processes may move folders during the scan. A folder that is moved from a place that is not yet
//! listed to a listed one would be missed. The scan therefore checks every folder again at the end: a
//! folder's change time differs if a name in it was created, moved or removed.

pub(crate) mod content;
mod scanner;
pub(crate) mod tree;

use std::path::{Path, PathBuf};

use self::scanner::Scanner;
use self::tree::{Identity, Root};

/// Folders with built or fetched files, in great number.
pub(crate) const FETCHED: [&str; 5] = ["node_modules", "target", ".venv", "venv", "__pycache__"];
/// Folders of version control systems, which store objects by digest.
pub(crate) const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
/// The limits of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum number of names outside fetched folders.
    pub(crate) entries: usize,
    /// The maximum number of names in fetched folders.
    pub(crate) fetched: usize,
    pub(crate) depth: usize,
    pub(crate) found: usize,
    /// The maximum number of files whose contents are read.
    pub(crate) contents: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 20_000, fetched: 200_000, depth: 64, found: 1000, contents: 4000 }
    }
}

/// A secret, with the identity of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) path: PathBuf,
    pub(crate) identity: Option<Identity>,
}

/// The results of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) secrets: Vec<Secret>,
    /// Folders that git would accept as a bare repository.
    pub(crate) bare: Vec<PathBuf>,
    pub(crate) gaps: Vec<String>,
    /// True if no folder was moved during the scan.
    pub(crate) is_settled: bool,
}

impl Scan {
    /// Scans a workspace. The scan of a folder that cannot be opened is empty.
    pub(crate) fn run(root: &Path, limits: Limits) -> Self {
        let Ok(handle) = Root::open(root) else { return Self { is_settled: true, ..Self::default() } };
        let mut scan = Scanner::new(&handle, limits).run();
        scan.make_absolute(root);
        scan
    }

    /// Adds a gap: something that the scan could not protect.
    fn add_gap(&mut self, words: String) {
        if !self.gaps.contains(&words) {
            self.gaps.push(words);
        }
    }

    /// Adds a secret.
    fn add_secret(&mut self, root: &Root, path: PathBuf) {
        if !self.secrets.iter().any(|known| known.path == path) {
            let identity = root.identity(&path);
            self.secrets.push(Secret { path, identity });
        }
    }

    fn make_absolute(&mut self, root: &Path) {
        for path in self.protected.iter_mut().chain(&mut self.bare) {
            *path = root.join(&*path);
        }
        for secret in &mut self.secrets {
            secret.path = root.join(&secret.path);
        }
        self.bare.retain(|path| path != root);
        self.bare.dedup();
    }
}

#[cfg(test)]
mod tests;
