//! The crate's public behaviour.

mod json;
mod properties;
mod redactor;
mod stream;
