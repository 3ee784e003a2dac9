//! Which names in a workspace are protected and which are secrets, found in bounded time.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use windlass_command::{is_protected_name, is_secret_name};

/// Folders that hold what was made or fetched, in great number.
const SKIPPED: [&str; 5] = ["node_modules", "target", ".venv", "venv", "__pycache__"];

/// How far is looked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) entries: usize,
    pub(crate) depth: usize,
    pub(crate) found: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 20_000, depth: 12, found: 1000 }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) protected: Vec<PathBuf>,
    pub(crate) secrets: Vec<PathBuf>,
    pub(crate) gaps: Vec<String>,
    seen: usize,
}

impl Scan {
    pub(crate) fn of(root: &Path, limits: Limits) -> Self {
        let mut scan = Self::default();
        let mut waiting = vec![(root.to_path_buf(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.filter_map(Result::ok) {
                scan.seen += 1;
                let is_full = scan.protected.len() + scan.secrets.len() >= limits.found;
                if scan.seen > limits.entries || is_full {
                    scan.gaps.push(format!(
                        "the workspace has more than {} entries: secrets in `{}` and behind it are not hidden",
                        scan.seen - 1,
                        folder.display()
                    ));
                    return scan;
                }
                let below = scan.entry(root, &entry).filter(|_| depth < limits.depth);
                waiting.extend(below.map(|below| (below, depth + 1)));
            }
        }
        scan
    }

    /// Notes an entry; a folder to look into comes back.
    fn entry(&mut self, root: &Path, entry: &DirEntry) -> Option<PathBuf> {
        let kind = entry.file_type().ok()?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let (protected, secret) = (is_protected_name(&name), is_secret_name(&name));
        if kind.is_symlink() {
            // The link itself cannot be covered, what it leads to can.
            let target = path.canonicalize().ok().filter(|target| secret && target.starts_with(root));
            self.secrets.extend(target.filter(|target| target.is_file()));
            return None;
        }
        if protected {
            self.protected.push(path.clone());
        }
        if kind.is_dir() {
            // A folder of keys is hidden whole. Other folders with such names hold programs.
            if protected && secret {
                self.secrets.push(path);
                return None;
            }
            return (!protected && !SKIPPED.contains(&&*name)).then_some(path);
        }
        if secret {
            self.secrets.push(path);
        }
        None
    }
}
