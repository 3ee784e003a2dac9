//! What the crate knows of vendors.
#![expect(clippy::unwrap_used, reason = "the functions that tests share may fail as tests do")]

mod endpoint;
mod requests;
mod vendors;
