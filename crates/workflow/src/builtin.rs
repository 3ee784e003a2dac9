//! The workflows that the program includes.

use crate::Workflow;

const GIT_COMMIT: &str = include_str!("builtin/git_commit.toml");

/// Returns all built-in workflows.
pub fn builtin() -> Vec<Workflow> {
    vec![git_commit()]
}

/// Returns the workflow `git_commit`, which collects the changes in a repository, has an agent analyse and
/// group them, asks a human to approve the plan, and makes the commits. An interrupted commit is not
/// repeated: the workflow compares `HEAD` to find out whether it was made.
pub fn git_commit() -> Workflow {
    read(GIT_COMMIT)
}

fn read(text: &str) -> Workflow {
    Workflow::from_toml(text).expect("the file is a part of the program and a test reads it")
}
