//! A store in a SQL database, through the driver-independent interface of `sqlx`.

mod bridge;
mod lease;
mod migrations;
#[cfg(feature = "postgres")]
mod postgres;
mod session;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statements;
mod store;

pub(crate) use self::store::SqlStore;
