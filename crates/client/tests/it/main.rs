//! What the client does over a real socket, against a server of canned bytes.

mod answer;
mod client;
mod endpoint;
mod failure;
mod retry;
mod server;
