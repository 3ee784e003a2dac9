//! The public behaviour of typed arguments, partial arguments and the two macros.

mod partial;
mod properties;
mod shapes;
mod tool;
