#![doc = include_str!("../README.md")]

mod error;
mod model;

pub use error::{ModelError, ModelErrorKind};
pub use model::{ChunkStream, Model, ModelFuture};
