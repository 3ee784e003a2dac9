//! Runs on a durable engine: the turn machine without IO, and the record of a run.
//!
//! `windlass-agent` drives the same machine with real IO. Another driver performs the commands of
//! [`Machine`] and returns their results as inputs.

pub use windlass_journal as journal;
pub use windlass_loop::*;
