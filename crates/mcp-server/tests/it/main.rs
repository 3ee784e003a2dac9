//! Tools that are served to clients of other programs.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod forms;
mod offered;
mod serve;
mod sessions;
