#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod options;
mod wire;

mod encode;
mod messages;
mod request;

mod block;
mod decode;
mod event;
mod reader;
mod shape;
mod stop;
mod usage;
mod whole;

mod error;

pub use options::AnthropicOptions;
pub use wire::Anthropic;
