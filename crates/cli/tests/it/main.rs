//! What the built program does, seen from outside: its output, its exit status and its files.
#![expect(clippy::unwrap_used, reason = "the functions that tests share may fail as tests do")]
#![expect(clippy::disallowed_methods, reason = "the tests look at the program's files")]

mod by_hand;
mod demo;
mod failure;
mod help;
mod mock;
mod parse;
mod resume;
mod windlass;
