//! Calls written as text, dialect by dialect.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod coerce;
mod corpus;
mod dialects;
mod growth;
mod leak;
mod literals;
mod properties;
mod scan;
mod scanner;
mod speech;
mod tags;
mod thoughts;
