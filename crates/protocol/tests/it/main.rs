//! Tests of the public interface of the values.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod arguments;
mod history;
mod hosted_tools;
mod serde;
mod values;
