//! Common behaviour of all wire formats, from outside.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod encoded;
mod event_stream;
mod kit;
mod lint;
mod prefix;
mod request_check;
mod server_kit;
mod surrogate;
mod template;
mod whole_body;
