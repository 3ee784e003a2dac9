//! Decisions, approvals and grants from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approvals;
mod commands;
mod custom;
mod decide;
mod grants;
mod growth;
mod kit;
mod learned;
mod links;
mod names;
mod prompt;
mod properties;
mod reference;
mod trees;
mod whole_text;
