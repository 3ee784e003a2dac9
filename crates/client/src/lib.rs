#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a Retry-After that is a date needs the clock")]

mod answer;
mod client;
mod endpoint;
mod failure;
mod options;
mod retry;
mod secret;

pub use client::{Client, ClientError};
pub use endpoint::{Auth, Endpoint};
pub use options::Options;
