//! The tools as a toolbox calls them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "the folders of a person are made here")]

mod calling;
mod commands;
mod mcp;
mod pictures;
mod questions;
mod skills;
mod steering;
mod tasks;
mod todos;
