//! The tools as a toolbox calls them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod calling;
mod questions;
mod steering;
mod tasks;
mod todos;
