//! Snapshots, events and results of the parser, on small cases, hostile texts, corpora and generated texts.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod corpora;
mod deserialize;
mod event;
mod hostile;
mod limits;
mod number;
mod parser;
mod properties;
mod repair;
mod steps;
mod string;
mod structure;
