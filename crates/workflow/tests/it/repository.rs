//! A small repository with changes that make two commits.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use tempfile::{TempDir, tempdir};
use windlass_protocol::Hints;
use windlass_sandbox::Workspace;
use windlass_tool::{Output, Tool};
use windlass_tools_shell::RunCommand;

use crate::scene::Fake;

pub(crate) struct Repository {
    folder: TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self { folder: tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["config", "user.name", "Ada"]);
        repository.git(&["config", "user.email", "ada@example.org"]);
        repository.write("lib.rs", "fn one() {}\n");
        repository.write("old.rs", "fn old() {}\n");
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", "Begin"]);
        repository.write("lib.rs", "fn one() {}\nfn two() {}\n");
        repository.write("docs/two.md", "Two.\n");
        fs::remove_file(repository.path().join("old.rs")).unwrap();
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.current_dir(self.path()).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Each commit with its files, the newest first, and the remaining changes.
    pub(crate) fn commits(&self) -> String {
        let log = self.git(&["log", "--format=* %s%n%b", "--name-status", "--no-renames"]);
        let left = self.git(&["status", "--porcelain"]);
        let lines = log.lines().filter(|line| !line.is_empty());
        lines.chain(left.lines()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn tool(&self) -> Arc<dyn Tool> {
        Arc::new(RunCommand::new(Arc::new(Workspace::open(self.path()).unwrap())))
    }
}

pub(crate) const EXPECTED: &str = "\
* Document two
Two was new.
A\tdocs/two.md
* Add two, remove old
M\tlib.rs
D\told.rs
* Begin
A\tlib.rs
A\told.rs";

/// An agent as a tool: it keeps its own record, and answers each of the three tasks.
pub(crate) fn analyzer() -> Arc<Fake> {
    let hints = Hints { resumable: true, ..Hints::read_only() };
    let hints = Hints { read_only: false, idempotent: false, ..hints };
    Fake::new("sub_agent_code_analyzer", hints, |arguments| {
        let task = arguments["task"].as_str().unwrap();
        if task.starts_with("Say what the changes") {
            assert!(
                task.contains("?? docs/two.md") && task.contains("+fn two() {}"),
                "it sees the changes: {task}"
            );
            return Ok(Output::text("two is new and documented; old is gone"));
        }
        if task.starts_with("Put these changes") {
            assert!(task.contains("old is gone"), "it sees what was found out: {task}");
            let groups = json!({"groups": [
                {"does": "adds two, removes old", "files": ["lib.rs", "old.rs"]},
                {"does": "documents two", "files": ["docs/two.md"]},
            ]});
            return Ok(Output::text(groups.to_string()));
        }
        assert!(
            task.contains("documents two") && task.contains("Begin"),
            "it sees groups and commits: {task}"
        );
        let commits = json!({"commits": [
            {"subject": "Add two, remove old", "body": "", "files": ["lib.rs", "old.rs"]},
            {"subject": "Document two", "body": "Two was new.", "files": ["docs/two.md"]},
        ]});
        Ok(Output::text(format!("Here is the plan:\n```json\n{commits}\n```")))
    })
}
