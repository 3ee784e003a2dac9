#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod custom;
#[cfg(feature = "kit")]
pub mod kit;
#[cfg(feature = "openai")]
mod openai;
mod tokenizer;

pub use custom::{CountTokens, CustomTokenizer};
pub use tokenizer::Tokenizer;
