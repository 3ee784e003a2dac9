//! The public behaviour of typed arguments, partial arguments and the two macros.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod partial;
mod properties;
mod schema;
mod shapes;
mod tool;
