#![doc = include_str!("../README.md")]

mod provider;
mod render;
pub mod script;
mod scripted_model;
#[cfg(feature = "server")]
mod server;
mod spoken;

pub use render::Format;
pub use script::Script;
pub use scripted_model::ScriptedModel;
#[cfg(feature = "server")]
pub use server::{Recorded, ScriptedProvider};
