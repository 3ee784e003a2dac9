#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod names;
mod options;
mod wire;

mod encode;
mod hosted;
mod ids;
mod lint;
mod marks;
mod media;
mod messages;
mod parameters;
mod parts;
mod request;
mod tools;

mod citation;
mod custom;
mod decode;
mod event;
mod lenient;
mod reader;
mod reasoning;
mod shape;
mod stop;
mod usage;
mod whole;

mod error;
mod server;

pub use options::{
    CallIds, MaxTokensField, OpenAiChatOptions, StreamUsage, SystemRole, Thoughts, ThoughtsField,
    WebSearchModels,
};
pub use wire::OpenAiChat;
