#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod names;
mod options;
mod wire;

mod encode;
mod hosted;
mod media;
mod messages;
mod parameters;
mod request;
mod results;
mod tools;

mod lint;

mod array;
mod caches;
mod call;
mod decode;
mod event;
mod partial;
mod path;
mod reader;
mod shape;
mod sources;
mod stop;
mod usage;
mod whole;

mod error;

mod server;

pub use options::{AutoMode, GeminiOptions, Rules, SchemaField, StreamFraming};
pub use wire::Gemini;
