//! Ignore rules of a workspace, read through [`Workspace`] and limited in size.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_sandbox::{FileError, Kind, Workspace, WorkspacePath};
use windlass_text::{has_buildable_rules, rule_lines};

/// Files with ignore rules, the weakest first.
const NAMES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];
/// Maximum size of such a file, in bytes; larger files are ignored.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Rules of the folders from the root to the current folder, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct IgnoreRules {
    folders: Vec<(WorkspacePath, Gitignore)>,
    /// Number of ignore files that could not be read or of which some lines were left out.
    pub(crate) incomplete: usize,
}

impl IgnoreRules {
    /// Returns the rules that apply in a folder: its own and those of its ancestors.
    pub(crate) fn from_ancestors(workspace: &Workspace, folder: &WorkspacePath) -> Self {
        let mut ignored = Self::default();
        let mut at = WorkspacePath::root();
        ignored.enter(workspace, &at, true);
        for part in folder.relative() {
            at = at.join(part);
            ignored.enter(workspace, &at, true);
        }
        ignored
    }

    /// Enters a folder and reads its rules, unless `respects` is false.
    pub(crate) fn enter(&mut self, workspace: &Workspace, folder: &WorkspacePath, respects: bool) {
        let patterns = if respects { self.read(workspace, folder) } else { Gitignore::empty() };
        self.folders.push((folder.clone(), patterns));
    }

    /// Leaves the current folder.
    pub(crate) fn leave(&mut self) {
        self.folders.pop();
    }

    /// Returns true if a path in the current folder is ignored. The innermost matching pattern decides.
    pub(crate) fn has(&self, path: &WorkspacePath, kind: Kind) -> bool {
        for (folder, patterns) in self.folders.iter().rev() {
            match patterns.matched(path.relative_to(folder).relative(), kind == Kind::Folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    /// Reads the rules of one folder, like `grep_file` and the index. The last matching rule decides.
    fn read(&mut self, workspace: &Workspace, folder: &WorkspacePath) -> Gitignore {
        let mut builder = GitignoreBuilder::new("");
        for name in NAMES {
            let path = name.split('/').fold(folder.clone(), |path, part| path.join(part));
            let contents = match workspace.stream(&path) {
                Err(FileError::NotFound { .. } | FileError::NotAFolder { .. }) => continue,
                Ok(stream) if stream.len() <= MAX_FILE_BYTES => workspace.read(&path).ok(),
                _ => None,
            };
            let text = contents.as_ref().map(|contents| String::from_utf8_lossy(&contents.bytes));
            let is_complete = text.as_ref().is_some_and(|text| has_buildable_rules(text));
            self.incomplete = self.incomplete.saturating_add(usize::from(!is_complete));
            add_rules(&mut builder, &text.unwrap_or_default());
        }
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }
}

/// Adds the rules of a file. Lines that are not valid patterns are ignored.
fn add_rules(builder: &mut GitignoreBuilder, text: &str) {
    for line in rule_lines(text) {
        let _ = builder.add_line(None, line);
    }
}

#[cfg(test)]
mod tests {
    //! The time and memory for the rules of a file grow with its length, so the length is limited.

    use ignore::gitignore::GitignoreBuilder;
    use windlass_testkit::growth::{self, MEGABYTE, Shape};

    use super::add_rules;

    #[test]
    fn ignore_rules_are_built_in_linear_time() {
        let choices = "{a,b}".repeat(9);
        let long = format!("{}{{n}}\n", "*a".repeat(100));
        let shapes = [
            "a",
            "a{n}\n",
            "*.a{n}\n",
            "a{n}/b/*.txt\n",
            "**/a{n}/**\n",
            "!a{n}\n",
            "[a-z]{n}\n",
            "\n",
            "#\n",
            "\\\n",
            &format!("{choices}{{n}}\n"),
            &long,
        ]
        .map(Shape::repeat);
        let test = "ignored::tests::ignore_rules_are_built_in_linear_time";
        growth::check(test, MEGABYTE, &shapes, |text| {
            let mut builder = GitignoreBuilder::new("");
            add_rules(&mut builder, text);
            if let Ok(rules) = builder.build() {
                let _ = rules.matched("src/deep/deeper/file.txt", false);
            }
        });
    }
}
