//! Tests of the stores: one contract over memory, a folder, SQLite and PostgreSQL.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; it starts threads and reads files"
)]

mod conformance;
mod contract;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod databases;
mod fencing;
mod kit;
mod scene;
