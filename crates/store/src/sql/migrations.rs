//! The tables of each version. A released migration never changes; a change of the tables is a new one.

use std::borrow::Cow;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlSafeStr as _};

/// The number of attempts. Two processes that open a new database at the same time can collide.
const ATTEMPTS: u32 = 20;

/// A migration: its name and its SQL. Its version is its position, from 1.
pub(super) type Migrations = &'static [(&'static str, &'static str)];

#[cfg(feature = "sqlite")]
pub(super) const SQLITE: Migrations = &[
    ("runs", include_str!("../../migrations/sqlite/0001_runs.sql")),
    ("sessions", include_str!("../../migrations/sqlite/0002_sessions.sql")),
    ("session pages", include_str!("../../migrations/sqlite/0003_session_pages.sql")),
    ("message numbers", include_str!("../../migrations/sqlite/0004_message_numbers.sql")),
    ("session states", include_str!("../../migrations/sqlite/0005_session_states.sql")),
];
#[cfg(feature = "postgres")]
pub(super) const POSTGRES: Migrations = &[
    ("runs", include_str!("../../migrations/postgres/0001_runs.sql")),
    ("sessions", include_str!("../../migrations/postgres/0002_sessions.sql")),
    ("session pages", include_str!("../../migrations/postgres/0003_session_pages.sql")),
    ("message numbers", include_str!("../../migrations/postgres/0004_message_numbers.sql")),
    ("session states", include_str!("../../migrations/postgres/0005_session_states.sql")),
];

/// Brings the tables to the newest version. A database of a later version of this crate is refused.
pub(super) async fn migrate(pool: &AnyPool, migrations: Migrations) -> Result<(), MigrateError> {
    let numbered = (1_i64..).zip(migrations).map(|(version, (name, sql))| {
        Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(numbered.collect());
    migrator.dangerous_set_table_name("windlass_migrations");
    let mut attempt = 1;
    loop {
        match migrator.run(pool).await {
            Err(MigrateError::Execute(_) | MigrateError::ExecuteMigration(..)) if attempt < ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            result => return result,
        }
    }
}
