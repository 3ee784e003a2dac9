//! Clients of each format before models of each other.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod budgets;
mod canned;
mod carry;
mod chain;
mod findings;
mod formats;
mod front;
mod growth;
mod hosted;
mod hostile;
mod kept;
mod listener;
mod passthrough;
mod secrets;
mod serve;
mod state;
mod survives;
