//! Workflows with the tools of an agent: on a real repository, interrupted at every point, and started by a model.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "the tests make repositories and look at them")]

mod definitions;
mod git_commit;
mod growth;
mod repository;
mod run_workflow;
mod runner;
mod scene;
