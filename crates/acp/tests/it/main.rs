//! Tests of the agent with a client over pipes in memory.

mod hostile;
mod place;
mod sessions;
