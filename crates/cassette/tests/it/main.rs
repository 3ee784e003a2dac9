//! Runs that are recorded, replayed and forked.
#![expect(clippy::disallowed_methods, reason = "cassettes are files, and are read here")]
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod attribute;
mod broken;
mod cassette;
mod definitions;
mod file;
mod fork;
mod keys;
mod model;
mod record;
mod scene;
