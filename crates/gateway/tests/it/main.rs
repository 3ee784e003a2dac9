//! Tests with clients of each format and models of every other format.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod attacks;
mod budgets;
mod cache;
mod canned;
mod carry;
mod chain;
mod embeddings;
mod endpoints;
mod findings;
mod formats;
mod front;
mod growth;
mod hosted;
mod hostile;
mod kept;
mod limits;
mod listener;
mod observed;
mod packed;
mod passthrough;
mod programs;
mod secrets;
mod serve;
mod state;
mod state_rules;
mod stored;
mod survives;
mod versions;
