//! `web_fetch` against hostile names, addresses and servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod attacks;
mod bodies;
mod fake;
mod public;
mod redirects;
mod server;
mod spellings;
mod tls;
mod tool;
mod web_url;
