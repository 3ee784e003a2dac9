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
mod result;
mod words;

mod lint;

mod call;
mod decode;
mod event;
mod hosted_items;
mod item;
mod open;
mod reader;
mod reasoning;
mod shape;
mod spoken;
mod stop;
mod usage;
mod whole;

mod error;

mod server;

pub use options::{EncryptedReasoning, OpenAiResponsesOptions, SentHistory, Storage, StrictFunctions};
pub use wire::OpenAiResponses;
