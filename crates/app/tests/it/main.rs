//! The library as a front end uses it: folders of its own, a provider on loopback, no process of the program.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot continue fails; it writes the files of a user"
)]

mod advice;
mod configuration;
mod errors;
mod feed;
#[cfg(feature = "mcp")]
mod growth;
mod instructions;
mod place;
mod processes;
mod rules;
mod schema;
#[cfg(feature = "mcp")]
mod served_prompts;
mod session_records;
mod sessions;
mod steering;
mod typed_answers;
