//! Decisions, approvals and grants from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approvals;
mod decide;
mod learned;
mod properties;
mod reference;
