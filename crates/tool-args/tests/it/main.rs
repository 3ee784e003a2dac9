//! The public behaviour of typed arguments, partial arguments and the two macros.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod call;
mod flat;
mod partial;
mod properties;
mod returned;
mod schema;
mod shapes;
mod state;
mod tool;
mod value;
mod values;
