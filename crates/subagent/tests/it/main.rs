//! Agents that hand work to others: whole runs of both, with fake tools and a model that knows its part.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod approvals;
mod beside;
mod budget;
mod definition;
mod growth;
mod limits;
mod owner;
mod resume;
mod rights;
mod scene;
