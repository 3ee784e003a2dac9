//! The tools as a toolbox calls them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "pictures are written for the tests")]

mod calling;
mod kit;
mod pictures;
mod questions;
mod steering;
mod tasks;
mod todos;
