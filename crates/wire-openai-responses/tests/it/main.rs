//! The wire format from outside.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod decode;
mod encode;
mod error;
mod forms;
mod kit;
mod limits;
mod lint;
mod properties;
mod server;
mod whole;
