//! Untrusted servers from scripts, in memory and as child processes.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests fail loudly, and look whether processes are gone"
)]

mod accepted;
mod asks;
mod calls;
mod child;
mod connections;
mod discovery;
mod fake;
mod http;
mod listing;
mod oauth;
mod oauth_key;
mod open_url;
mod outcome;
mod proxy;
mod rounds;
mod web;
