//! Tests of the stores: one contract over memory, a folder, SQLite and PostgreSQL.

mod conformance;
mod contract;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod databases;
mod fencing;
mod scene;
