//! Servers that nobody here trusts, scripted, in memory and as child processes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod accepted;
mod calls;
mod fake;
mod listing;
mod open_url;
mod outcome;
