//! What the ignore rules of a workspace name, read through the workspace and held to a size.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_sandbox::{Kind, Workspace, WorkspacePath};
use windlass_text::rule_lines;

/// Where a folder says what is ignored in it, the weakest first.
const NAMES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];
/// How much of one such file counts.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The patterns on the way from the root to the folder at hand, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    folders: Vec<(WorkspacePath, Gitignore)>,
}

impl Ignored {
    /// The patterns that hold in a folder: its own, and those of the folders that hold it.
    pub(crate) fn above(workspace: &Workspace, folder: &WorkspacePath) -> Self {
        let mut ignored = Self::default();
        let mut at = WorkspacePath::root();
        ignored.enter(workspace, &at, true);
        for part in folder.relative() {
            at = at.join(part);
            ignored.enter(workspace, &at, true);
        }
        ignored
    }

    /// Goes into a folder.
    pub(crate) fn enter(&mut self, workspace: &Workspace, folder: &WorkspacePath, respects: bool) {
        let patterns = if respects { read(workspace, folder) } else { Gitignore::empty() };
        self.folders.push((folder.clone(), patterns));
    }

    /// Leaves the folder at hand.
    pub(crate) fn leave(&mut self) {
        self.folders.pop();
    }

    /// Whether a name in the folder at hand is ignored: the innermost pattern that fits decides.
    pub(crate) fn has(&self, path: &WorkspacePath, kind: Kind) -> bool {
        for (folder, patterns) in self.folders.iter().rev() {
            match patterns.matched(path.below(folder).relative(), kind == Kind::Folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

/// The rules of one folder, as `grep_file` and the index read them: of those that fit the last decides.
fn read(workspace: &Workspace, folder: &WorkspacePath) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for name in NAMES {
        let path = name.split('/').fold(folder.clone(), |path, part| path.join(part));
        let fits = workspace.stream(&path).is_ok_and(|stream| stream.len() <= MAX_FILE_BYTES);
        let Some(contents) = fits.then(|| workspace.read(&path).ok()).flatten() else { continue };
        for line in rule_lines(&String::from_utf8_lossy(&contents.bytes)) {
            // A line that is not a pattern names nothing.
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
