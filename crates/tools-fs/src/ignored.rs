//! What the `.gitignore` files of a workspace name, read through the workspace and held to a size.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_sandbox::{Kind, Workspace, WorkspacePath};

use crate::pattern::{MAX_BYTES, MAX_CHOICES, choices};

const NAME: &str = ".gitignore";
/// How much of one such file counts.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
const MAX_LINES: usize = 5_000;

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

fn read(workspace: &Workspace, folder: &WorkspacePath) -> Gitignore {
    let path = folder.join(NAME);
    let fits = workspace.stream(&path).is_ok_and(|stream| stream.len() <= MAX_FILE_BYTES);
    let Some(contents) = fits.then(|| workspace.read(&path).ok()).flatten() else {
        return Gitignore::empty();
    };
    let text = String::from_utf8_lossy(&contents.bytes);
    let mut builder = GitignoreBuilder::new("");
    let fair =
        |line: &&str| line.len() <= MAX_BYTES && choices(line).is_some_and(|count| count <= MAX_CHOICES);
    for line in text.lines().take(MAX_LINES).filter(fair) {
        // A line that is no pattern names nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
