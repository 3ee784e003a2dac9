#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod chunk;
mod error;
mod free_text;
mod image_words;
#[cfg(feature = "kit")]
pub mod kit;

mod model;
mod range_unit;

pub use chunk::{CallChunk, CallKey, Chunk, WholeCall};
pub use error::{StreamError, StreamErrorKind};
pub use free_text::FreeText;
pub use image_words::names_image;
pub use model::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};
pub use range_unit::RangeUnit;
