#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod names;
mod options;
mod wire;

mod base64;
mod cache;
mod encode;
mod lint;
mod marks;
mod messages;
mod parts;
mod request;
mod tools;

mod block;
mod decode;
mod event;
mod reader;
mod shape;
mod stop;
mod usage;
mod whole;

mod error;
mod server;

pub use options::{AnthropicOptions, Caching};
pub use wire::Anthropic;
