//! The browser tool against pages, and its proxy against any client.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "tests look for what is left of processes and folders")]

mod arguments;
mod ends;
mod fake;
mod killed;
mod network;
mod pages;
mod site;
