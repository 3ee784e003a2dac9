//! Tests of the agent with a client over pipes in memory.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot continue fails; it reads the files of its folder"
)]

mod answers;
mod drafts;
mod files;
mod hostile;
mod place;
mod sessions;
