//! Calls written as text, dialect by dialect.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod corpus;
mod dialects;
mod properties;
mod scan;
