//! The state of a run that survives its phases.

pub(crate) mod replay;
