#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod names;
mod options;
mod wire;

mod base64;
mod cache;
mod changes;
mod encode;
mod fields;
mod hosted;
mod instructions;
mod lint;
mod marks;
mod media;
mod message_state;
mod model;
mod parameters;
mod parts;
mod request;
mod tools;

mod block;
mod event;
mod programs;
mod reader;
mod server_tools;
mod shape;
mod stop;
mod usage;
mod whole;

mod error;
mod server;

pub use options::{AnthropicOptions, Caching, SystemMessages, ToolChanges};
pub use wire::Anthropic;
