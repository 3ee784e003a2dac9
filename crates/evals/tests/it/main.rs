//! Suites over scripted models.
#![expect(clippy::disallowed_methods, reason = "results and cassettes are files, and are read here")]
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod cassettes;
mod graders;
mod limits;
mod report;
mod resume;
mod scene;
mod statistics;
