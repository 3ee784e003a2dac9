//! Spans and metrics of runs, gathered as a program would have them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod content;
mod events;
mod gathered;
#[cfg(feature = "metrics")]
mod metrics;
mod newest;
mod runs;
