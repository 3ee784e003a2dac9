//! Agents that hand work to other agents: complete runs with fake tools and a scripted model.
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
