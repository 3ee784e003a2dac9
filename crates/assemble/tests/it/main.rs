//! The assembler, rule by rule.

mod answer;
mod arguments;
mod endings;
mod keying;
mod names;
mod partial;
mod properties;
mod script;
