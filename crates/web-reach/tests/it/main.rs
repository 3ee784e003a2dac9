//! URLs, and requests to checked addresses.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(feature = "client")]
mod client;
mod web_url;
