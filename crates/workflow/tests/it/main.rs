//! Workflows with an agent's hands: on a real repository, interrupted everywhere, and asked for by a model.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "the tests make repositories and look at them")]

mod definitions;
mod git_commit;
mod growth;
mod repository;
mod run_workflow;
mod runner;
mod scene;
