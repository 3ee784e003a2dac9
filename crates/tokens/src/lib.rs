#![doc = include_str!("../README.md")]

mod custom;
#[cfg(feature = "kit")]
pub mod kit;
#[cfg(feature = "openai")]
mod openai;
mod tokenizer;

pub use custom::{CountTokens, CustomTokenizer};
pub use tokenizer::Tokenizer;
