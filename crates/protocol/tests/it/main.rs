//! The values from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod arguments;
mod history;
mod serde;
mod values;
