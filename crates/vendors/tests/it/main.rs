//! The crate's knowledge of vendors.
#![expect(clippy::unwrap_used, reason = "the functions that tests share may fail as tests do")]

mod breakpoints;
mod endpoint;
mod media;
mod memory;
mod requests;
mod vendors;
