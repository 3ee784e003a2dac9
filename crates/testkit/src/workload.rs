//! Generated inputs for benchmarks and tests: deterministic, without data files.

mod events;
mod json;
mod text;

pub use events::{w5_anthropic, w5_openai};
pub use json::{w1, w1p, w1u, w2, w3};
pub use text::{prose, text_calls};
