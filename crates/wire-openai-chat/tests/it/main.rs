//! The wire format from outside.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod answers;
mod decode;
mod encode;
mod error;
mod kit;
mod limits;
mod lint;
mod properties;
mod requests;
mod whole;
