//! The machine from outside: inputs in, effects out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod ahead;
mod common_budget;
mod compaction;
mod completion;
mod consultation;
mod context;
mod driven;
mod early;
mod edits;
mod events;
mod execution;
mod hosted;
mod images;
mod import;
mod known_tool;
mod last;
mod modes;
mod properties;
mod protocol;
mod questions;
mod record;
mod resume;

mod steering;
mod streaming;
mod suspension;
mod transcript;
