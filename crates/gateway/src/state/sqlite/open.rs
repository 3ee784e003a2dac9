//! The file of a store, and its tables.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::failure;
use crate::state::store::StateError;

/// The time for which an access waits for one of another process.
const WAIT: Duration = Duration::from_secs(10);
/// The number of attempts. Two processes that open a new file at the same time can collide.
const ATTEMPTS: u32 = 20;
/// The version of the tables.
const VERSION: i64 = 1;

/// The tables of version 1. Triggers count values and bytes, so that no access adds them up.
const TABLES: &str = "
CREATE TABLE windlass_state (
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    value BLOB NOT NULL,
    size INTEGER NOT NULL,
    used_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX windlass_state_names ON windlass_state (owner, id);
CREATE UNIQUE INDEX windlass_state_uses ON windlass_state (number);
CREATE INDEX windlass_state_owner_uses ON windlass_state (owner, number);
CREATE INDEX windlass_state_times ON windlass_state (used_ms);
CREATE TABLE windlass_state_owners (
    owner TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE windlass_state_total (
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    next INTEGER NOT NULL
) STRICT;
INSERT INTO windlass_state_total (count, bytes, next) VALUES (0, 0, 1);
CREATE TRIGGER windlass_state_inserted AFTER INSERT ON windlass_state BEGIN
    INSERT INTO windlass_state_owners (owner, count, bytes) VALUES (new.owner, 1, new.size)
        ON CONFLICT (owner) DO UPDATE SET count = count + 1, bytes = bytes + new.size;
    UPDATE windlass_state_total SET count = count + 1, bytes = bytes + new.size;
END;
CREATE TRIGGER windlass_state_deleted AFTER DELETE ON windlass_state BEGIN
    UPDATE windlass_state_owners SET count = count - 1, bytes = bytes - old.size WHERE owner = old.owner;
    DELETE FROM windlass_state_owners WHERE owner = old.owner AND count = 0;
    UPDATE windlass_state_total SET count = count - 1, bytes = bytes - old.size;
END;
PRAGMA user_version = 1;
";

/// Opens a file, and creates it and its tables if they do not exist.
pub(super) async fn open(path: &Path) -> Result<SqlitePool, StateError> {
    create_file(path).map_err(|error| StateError::Failed(Box::new(error)))?;
    let mut attempt = 1;
    loop {
        match connect(path).await {
            // SQLite does not wait for the lock that the first connection needs to set up its log.
            Err(OpenError::Database(error)) if attempt < ATTEMPTS && is_busy(&error) => {
                attempt = attempt.saturating_add(1);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok(pool) => return Ok(pool),
            Err(OpenError::Database(error)) => return Err(failure(error)),
            Err(error) => return Err(StateError::Failed(Box::new(error))),
        }
    }
}

/// The reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error("the file is a database of another program")]
    Foreign,
    #[error("the file has version {0} of the tables; this program knows version {VERSION}")]
    Later(i64),
}

/// Creates the file with access for its user only. SQLite gives its log files the mode of the database file.
fn create_file(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

async fn connect(path: &Path) -> Result<SqlitePool, OpenError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(WAIT);
    // SQLite has one writer at a time, and each access writes the time of its use.
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    let mut access = pool.begin_with("BEGIN IMMEDIATE").await?;
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *access).await?;
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_master").fetch_one(&mut *access).await?;
    let names = "SELECT count(*) FROM sqlite_master WHERE name = 'windlass_state_total'";
    let own: i64 = sqlx::query_scalar(names).fetch_one(&mut *access).await?;
    match (version, own) {
        (0, 0) if tables == 0 => {
            sqlx::raw_sql(TABLES).execute(&mut *access).await?;
        }
        (VERSION, 1) => {}
        (VERSION.., 1) => return Err(OpenError::Later(version)),
        _ => return Err(OpenError::Foreign),
    }
    access.commit().await?;
    Ok(pool)
}

fn is_busy(error: &sqlx::Error) -> bool {
    // SQLITE_BUSY, SQLITE_LOCKED, and SQLITE_BUSY_RECOVERY.
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| matches!(&*code, "5" | "6" | "261"))
}
