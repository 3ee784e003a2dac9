//! The workflows that come with the program.

use crate::Workflow;

const GIT_COMMIT: &str = include_str!("builtin/git_commit.toml");

/// All of them.
pub fn builtin() -> Vec<Workflow> {
    vec![git_commit()]
}

/// `git_commit`: gathers what changed in a repository, has it analysed and put in order, asks a human for a yes to the plan,
/// and makes the commits. A commit that was cut off is not made twice: the head says whether it was made.
pub fn git_commit() -> Workflow {
    read(GIT_COMMIT)
}

fn read(text: &str) -> Workflow {
    Workflow::from_toml(text).expect("the file is a part of the program and a test reads it")
}
