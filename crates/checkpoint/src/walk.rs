//! Walk through the files of a workspace that are not ignored. Each `.gitignore` is read by handle and up to
//! a maximum size, so that a pipe, a device or a huge file cannot block the walk.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_sandbox::{Descent, Workspace};
use windlass_text::rule_lines;

use crate::omitted::OmittedPaths;

/// Folders of downloaded or generated files, which are left out even without a `.gitignore`.
const MADE: [&str; 4] = ["node_modules", ".venv", "venv", "__pycache__"];
/// File that marks a cache folder.
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Files with ignore rules for their folder.
const RULES: [&str; 2] = [".git/info/exclude", ".gitignore"];
/// Maximum number of bytes that are read of one such file.
const RULE_BYTES: u64 = 1024 * 1024;

/// Walk through all folders that are not ignored, with paths relative to the root.
pub(crate) struct Walk<'w> {
    root: &'w Path,
    descent: Descent<'w>,
    /// Folders still to be walked, each with the number of rule sets that apply to it.
    waiting: Vec<(PathBuf, usize)>,
    rules: Vec<(PathBuf, Gitignore)>,
    /// Paths that were found and left out.
    pub(crate) omitted: OmittedPaths,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(workspace: &'w Workspace) -> Self {
        let descent = Descent::new(workspace);
        let waiting = vec![(PathBuf::new(), 0)];
        Self { root: workspace.root(), descent, waiting, rules: Vec::new(), omitted: OmittedPaths::default() }
    }

    /// Returns the paths of the non-folders in the next folder, or an error if it cannot be read; `None` at
    /// the end.
    pub(crate) fn next(&mut self) -> Option<io::Result<Vec<PathBuf>>> {
        let (folder, held) = self.waiting.pop()?;
        self.rules.truncate(held);
        self.read_rules(&folder);
        let entries = match fs::read_dir(self.root.join(&folder)) {
            Ok(entries) => entries,
            Err(error) => {
                self.omitted.folders.insert(folder);
                return Some(Err(error));
            }
        };
        let mut names = Vec::new();
        for entry in entries {
            let Some((below, kind)) =
                entry.and_then(|it| Ok((folder.join(it.file_name()), it.file_type()?))).ok()
            else {
                // The name of the unreadable entry is unknown, so the folder counts as left out.
                self.omitted.folders.insert(folder.clone());
                continue;
            };
            // `.git` is never part of a checkpoint, including those of nested repositories.
            if below.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            match (kind.is_dir(), self.is_ignored(&below, kind.is_dir())) {
                (false, false) => names.push(below),
                (false, true) => drop(self.omitted.files.insert(below)),
                (true, false) if !self.is_made(&below) => self.waiting.push((below, self.rules.len())),
                (true, _) => drop(self.omitted.folders.insert(below)),
            }
        }
        Some(Ok(names))
    }

    fn is_made(&self, below: &Path) -> bool {
        let is_known = below.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made));
        let mark = || self.root.join(below).join(CACHE_MARK);
        is_known || mark().symlink_metadata().is_ok_and(|found| found.is_file())
    }

    /// The innermost matching rule decides.
    fn is_ignored(&self, below: &Path, is_folder: bool) -> bool {
        for (folder, rules) in self.rules.iter().rev() {
            let Ok(path) = below.strip_prefix(folder) else { continue };
            match rules.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    fn read_rules(&mut self, folder: &Path) {
        for file in RULES {
            let Ok(stream) = self.descent.stream(&folder.join(file)) else { continue };
            let mut bytes = Vec::new();
            if stream.take(RULE_BYTES).read_to_end(&mut bytes).is_err() {
                continue;
            }
            let mut builder = GitignoreBuilder::new("");
            for line in rule_lines(&String::from_utf8_lossy(&bytes)) {
                // Ignore lines that are not valid patterns.
                let _ = builder.add_line(None, line);
            }
            if let Ok(rules) = builder.build()
                && !rules.is_empty()
            {
                self.rules.push((folder.to_path_buf(), rules));
            }
        }
    }
}
