//! Texts in their encodings.
#![expect(clippy::unwrap_used, reason = "the tests fail loudly")]

mod diff;
mod growth;
mod text;
