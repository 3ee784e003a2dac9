#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod redactor;

mod stream;

mod json;

mod forms;

mod automaton;

pub use redactor::{Redactor, Registration};
pub use stream::RedactStream;
