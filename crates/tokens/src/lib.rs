#![doc = include_str!("../README.md")]

mod tokenizer;

pub use tokenizer::Tokenizer;
