//! The names in a workspace that may be kept: `.gitignore` is read by handle and held to a size, so that one that is a
//! pipe, a device or a bomb stops nobody.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_sandbox::{Descent, Workspace};

use crate::omitted::Omitted;

/// Folders that hold what was fetched or made, in great number, also where no `.gitignore` says so.
const MADE: [&str; 4] = ["node_modules", ".venv", "venv", "__pycache__"];
/// What marks a folder of what was made.
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Where a folder says what is to be ignored in it.
const RULES: [&str; 2] = [".git/info/exclude", ".gitignore"];
/// How much of one such file counts.
const RULE_BYTES: u64 = 1024 * 1024;
const RULE_LINES: usize = 5_000;
const LINE_BYTES: usize = 1_000;
const LINE_CHOICES: usize = 100;

/// A walk through all folders that are not ignored, by their paths below the root.
pub(crate) struct Walk<'w> {
    root: &'w Path,
    descent: Descent<'w>,
    /// Folders that are still to be looked into, with how many of the rules hold there.
    waiting: Vec<(PathBuf, usize)>,
    rules: Vec<(PathBuf, Gitignore)>,
    /// What was met and is not given.
    pub(crate) omitted: Omitted,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(workspace: &'w Workspace) -> Self {
        let descent = Descent::new(workspace);
        let waiting = vec![(PathBuf::new(), 0)];
        Self { root: workspace.root(), descent, waiting, rules: Vec::new(), omitted: Omitted::default() }
    }

    /// The next folder's names of what is no folder, if it can be read; nothing at the end.
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
                // Which name is missing is unknown.
                self.omitted.folders.insert(folder.clone());
                continue;
            };
            // A repository's own files are its own business, also those of one in the workspace.
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

    /// The innermost rule that fits decides.
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
            let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
            let mut builder = GitignoreBuilder::new("");
            let is_fair = |line: &&str| line.len() <= LINE_BYTES && line.matches(',').count() <= LINE_CHOICES;
            for line in text.lines().take(RULE_LINES).filter(is_fair) {
                // A line that is no pattern names nothing.
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
