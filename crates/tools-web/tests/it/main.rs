//! `web_fetch` against hostile names, addresses and servers.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod public;
mod web_url;
