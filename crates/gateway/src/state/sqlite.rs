//! A store in a SQLite database, which survives a restart.

mod open;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::limits::StateLimits;
use super::store::{StateError, StateFuture, StateStore};

/// The expired values that one access removes at most. The next access continues.
const EXPIRED_AT_ONCE: i64 = 1_000;

/// A store in a file of SQLite. Several processes of one machine can share the file; a value that one of them stored is read
/// by all of them.
///
/// The file contains conversations, and is created with access for its user only. Times are those of the clock of the
/// machine. After a crash of the operating system the last values can be missing; after a crash of the process none is.
/// Each access takes logarithmic time.
///
/// ```
/// use windlass_gateway::{SqliteStateStore, StateLimits, StateStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("state.db");
/// SqliteStateStore::open(&path, StateLimits::default()).await?.insert("ann", "a", "{}".into()).await?;
/// // Another process.
/// let store = SqliteStateStore::open(&path, StateLimits::default()).await?;
/// assert!(store.get("ann", "a").await?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteStateStore {
    limits: StateLimits,
    path: PathBuf,
    pool: SqlitePool,
}

impl SqliteStateStore {
    /// Opens the file, and creates it with its folder if it does not exist. Values that exceed the limits stay until the next
    /// value of their owner is stored.
    ///
    /// # Errors
    /// The file cannot be opened or created, is not a database, or is one of another program or of a later version.
    pub async fn open(path: impl AsRef<Path>, limits: StateLimits) -> Result<Self, StateError> {
        let path = path.as_ref().to_owned();
        let pool = open::open(&path).await?;
        Ok(Self { limits, path, pool })
    }

    /// Returns the number of values and the bytes that count.
    ///
    /// # Errors
    /// The database fails.
    pub async fn size(&self) -> Result<(usize, usize), StateError> {
        self.size_at(now()).await
    }

    async fn size_at(&self, now: i64) -> Result<(usize, usize), StateError> {
        let mut access = self.begin(now).await?;
        let size: (i64, i64) = sqlx::query_as("SELECT count, bytes FROM windlass_state_total")
            .fetch_one(&mut *access)
            .await
            .map_err(failure)?;
        access.commit().await.map_err(failure)?;
        let number = |number: i64| usize::try_from(number).unwrap_or_default();
        Ok((number(size.0), number(size.1)))
    }

    /// Begins an access, and removes expired values. An access that is dropped changes nothing.
    async fn begin(&self, now: i64) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>, StateError> {
        // The lock of a writer from the beginning: a reader that becomes a writer could fail.
        let mut access = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(failure)?;
        sqlx::query(
            "DELETE FROM windlass_state WHERE number IN \
             (SELECT number FROM windlass_state WHERE used_ms <= $1 ORDER BY used_ms LIMIT $2)",
        )
        .bind(self.oldest(now))
        .bind(EXPIRED_AT_ONCE)
        .execute(&mut *access)
        .await
        .map_err(failure)?;
        Ok(access)
    }

    /// Returns the time of use from which on a value has expired.
    fn oldest(&self, now: i64) -> i64 {
        now.saturating_sub(i64::try_from(self.limits.idle.as_millis()).unwrap_or(i64::MAX))
    }

    async fn get_at(&self, owner: &str, id: &str, now: i64) -> Result<Option<Bytes>, StateError> {
        let mut access = self.begin(now).await?;
        let value = self.take_used(&mut access, owner, id, now).await?;
        access.commit().await.map_err(failure)?;
        Ok(value)
    }

    /// Returns a value and makes it the one that was used last.
    async fn take_used(
        &self,
        access: &mut SqliteConnection,
        owner: &str,
        id: &str,
        now: i64,
    ) -> Result<Option<Bytes>, StateError> {
        let value: Option<(Vec<u8>,)> = sqlx::query_as(
            "UPDATE windlass_state SET used_ms = $3, number = (SELECT next FROM windlass_state_total) \
             WHERE owner = $1 AND id = $2 AND used_ms > $4 RETURNING value",
        )
        .bind(owner)
        .bind(id)
        .bind(now)
        .bind(self.oldest(now))
        .fetch_optional(&mut *access)
        .await
        .map_err(failure)?;
        count_use(access).await?;
        Ok(value.map(|(value,)| value.into()))
    }

    async fn insert_at(&self, owner: &str, id: &str, value: &[u8], now: i64) -> Result<(), StateError> {
        let size = self.limits.size(owner, id, value)?;
        let mut access = self.begin(now).await?;
        self.insert_value(&mut access, (owner, id), (value, size), now).await?;
        access.commit().await.map_err(failure)
    }

    async fn insert_value(
        &self,
        access: &mut SqliteConnection,
        (owner, id): (&str, &str),
        (value, size): (&[u8], usize),
        now: i64,
    ) -> Result<(), StateError> {
        remove_value(access, owner, id).await?;
        sqlx::query(
            "INSERT INTO windlass_state (number, owner, id, value, size, used_ms) \
             VALUES ((SELECT next FROM windlass_state_total), $1, $2, $3, $4, $5)",
        )
        .bind(owner)
        .bind(id)
        .bind(value)
        .bind(limit(size))
        .bind(now)
        .execute(&mut *access)
        .await
        .map_err(failure)?;
        count_use(access).await?;
        self.displace(access, owner).await
    }

    /// Removes the values that were not used for the longest time, until the limits hold.
    async fn displace(&self, access: &mut SqliteConnection, owner: &str) -> Result<(), StateError> {
        const OF_OWNER: &str = "DELETE FROM windlass_state WHERE number = \
             (SELECT number FROM windlass_state WHERE owner = $1 ORDER BY number LIMIT 1) \
             AND EXISTS (SELECT 1 FROM windlass_state_owners WHERE owner = $1 AND (count > $2 OR bytes > $3))";
        const OF_ALL: &str = "DELETE FROM windlass_state WHERE number = \
             (SELECT number FROM windlass_state ORDER BY number LIMIT 1) \
             AND EXISTS (SELECT 1 FROM windlass_state_total WHERE bytes > $1)";
        loop {
            let removed = sqlx::query(OF_OWNER)
                .bind(owner)
                .bind(limit(self.limits.owner_values.max(1)))
                .bind(limit(self.limits.owner_bytes))
                .execute(&mut *access)
                .await
                .map_err(failure)?;
            if removed.rows_affected() == 0 {
                break;
            }
        }
        loop {
            let all = sqlx::query(OF_ALL).bind(limit(self.limits.bytes));
            if all.execute(&mut *access).await.map_err(failure)?.rows_affected() == 0 {
                return Ok(());
            }
        }
    }
}

/// Counts a use. Numbers of uses rise also while the clock is set back.
async fn count_use(access: &mut SqliteConnection) -> Result<(), StateError> {
    let count = sqlx::query("UPDATE windlass_state_total SET next = next + 1");
    count.execute(access).await.map(drop).map_err(failure)
}

async fn remove_value(access: &mut SqliteConnection, owner: &str, id: &str) -> Result<bool, StateError> {
    let removal = sqlx::query("DELETE FROM windlass_state WHERE owner = $1 AND id = $2").bind(owner).bind(id);
    let removed = removal.execute(access).await.map_err(failure)?;
    Ok(removed.rows_affected() > 0)
}

/// Returns the milliseconds since the Unix epoch.
fn now() -> i64 {
    let time: Duration = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn limit(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn failure(error: sqlx::Error) -> StateError {
    StateError::Failed(Box::new(error))
}

impl StateStore for SqliteStateStore {
    fn get<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, Option<Bytes>> {
        Box::pin(self.get_at(owner, id, now()))
    }

    fn insert<'a>(&'a self, owner: &'a str, id: &'a str, value: Bytes) -> StateFuture<'a, ()> {
        Box::pin(async move { self.insert_at(owner, id, &value, now()).await })
    }

    fn replace<'a>(
        &'a self,
        owner: &'a str,
        id: &'a str,
        old: &'a Bytes,
        new: Bytes,
    ) -> StateFuture<'a, bool> {
        Box::pin(async move {
            let (size, now) = (self.limits.size(owner, id, &new)?, now());
            // The comparison and the insertion are one transaction.
            let mut access = self.begin(now).await?;
            let is_equal = self.take_used(&mut access, owner, id, now).await?.as_ref() == Some(old);
            if is_equal {
                self.insert_value(&mut access, (owner, id), (&new, size), now).await?;
            }
            access.commit().await.map_err(failure)?;
            Ok(is_equal)
        })
    }

    fn remove<'a>(&'a self, owner: &'a str, id: &'a str) -> StateFuture<'a, bool> {
        Box::pin(async move {
            let mut access = self.begin(now()).await?;
            let is_removed = remove_value(&mut access, owner, id).await?;
            access.commit().await.map_err(failure)?;
            Ok(is_removed)
        })
    }
}

impl fmt::Debug for SqliteStateStore {
    // The values contain conversations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStateStore").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
