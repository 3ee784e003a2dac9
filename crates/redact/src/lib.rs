#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod redactor;

mod stream;

mod json;

mod places;
mod typed;

mod forms;

mod automaton;

mod scan;

mod spans;

mod letters;

pub use redactor::{Redactor, Registration};
pub use stream::RedactStream;
