//! The web tools against hostile names, addresses and servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

mod attacks;
mod bodies;
mod embeddings;
mod fake;
mod images;
mod public;
mod redirects;
mod search;
mod server;
mod services;
mod spellings;
mod tls;
mod tool;
