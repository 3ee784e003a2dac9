//! The assembler, rule by rule.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends where what it needs is missing")]

mod answer;
mod arguments;
mod citations;
mod endings;
mod keying;
mod names;
mod normalizer;
mod partial;
mod properties;
mod script;
