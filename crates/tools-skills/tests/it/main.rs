//! Skills and commands as a toolbox calls them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "the folders of a person are made here")]

mod calling;
mod commands;
mod prompts;
mod skills;
