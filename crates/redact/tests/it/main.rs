//! The crate's public behaviour.

mod json;
mod numbers;
mod properties;
mod redactor;
mod stream;
mod typed;
mod wrapped;
