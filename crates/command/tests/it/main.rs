//! Tests of the readers of commands: the literal lexer, the effects, the tolerant scan, and bash as the oracle.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod attacks;
#[cfg(unix)]
mod bash;
mod dresses;
mod effects;
mod generator;
mod hidden;
mod lexer;
mod properties;
mod scan;
mod touched;
