//! Spans of runs, gathered by a subscriber as a program would have one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod content;
mod events;
mod gathered;
mod runs;
