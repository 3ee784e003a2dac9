//! The client over a real socket, against a server of canned bytes.
#![expect(clippy::disallowed_methods, reason = "fixtures and caches are files")]
#![expect(clippy::unwrap_used, reason = "the functions that tests share may fail as tests do")]

mod answer;
mod caches;
mod canned;
mod client;
mod connections;
mod failure;
mod fallback;
mod files;
mod hostile;
mod images;
mod kit;
mod learned;
mod memories;
mod pace;
mod quirk;
mod retry;
mod schemas;
mod scripted;
mod server;
mod streams;
mod tls;
mod transport;
mod vendors;
