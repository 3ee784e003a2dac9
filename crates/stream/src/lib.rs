#![doc = include_str!("../README.md")]

mod call;
mod chunk;
mod error;

pub use call::{CallChunk, CallKey, WholeCall};
pub use chunk::Chunk;
pub use error::{StreamError, StreamErrorKind};
