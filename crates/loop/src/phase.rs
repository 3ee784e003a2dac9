//! The phases of a run.

pub(crate) mod condensing;
pub(crate) mod consulting;
pub(crate) mod executing;
pub(crate) mod streaming;
mod turn;
