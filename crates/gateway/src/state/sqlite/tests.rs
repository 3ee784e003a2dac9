//! Tests of times in a store on disk.

use std::time::Duration;

use super::SqliteStateStore;
use crate::state::limits::StateLimits;

const MINUTE: i64 = 60_000;

async fn store(folder: &tempfile::TempDir) -> SqliteStateStore {
    let limits = StateLimits { idle: Duration::from_mins(1), ..StateLimits::default() };
    SqliteStateStore::open(folder.path().join("state.db"), limits).await.unwrap()
}

#[tokio::test]
async fn a_value_expires_a_time_after_its_last_use_also_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let held = store(&folder).await;
    held.insert_at("ann", "a", b"1", 0).await.unwrap();
    held.insert_at("ann", "b", b"2", 0).await.unwrap();
    assert!(held.get_at("ann", "a", MINUTE - 1).await.unwrap().is_some());
    drop(held);
    let held = store(&folder).await;
    assert!(held.get_at("ann", "b", MINUTE).await.unwrap().is_none());
    assert_eq!(held.size_at(MINUTE).await.unwrap().0, 1, "only the value that was read");
    assert!(held.get_at("ann", "a", 2 * MINUTE - 2).await.unwrap().is_some());
    assert_eq!(held.size_at(4 * MINUTE).await.unwrap(), (0, 0));
}

#[tokio::test]
async fn more_values_expire_than_one_access_removes() {
    let folder = tempfile::tempdir().unwrap();
    let held = store(&folder).await;
    let count = usize::try_from(super::EXPIRED_AT_ONCE).unwrap() + 5;
    for number in 0..count {
        held.insert_at("ann", &format!("id-{number}"), b"1", 0).await.unwrap();
    }
    let last = format!("id-{}", count - 1);
    // The rest is not removed yet, and is not returned either.
    assert!(held.get_at("ann", &last, MINUTE).await.unwrap().is_none());
    assert_eq!(held.size_at(MINUTE).await.unwrap(), (0, 0));
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_change_the_order_of_uses() {
    let folder = tempfile::tempdir().unwrap();
    let limits = StateLimits { owner_values: 2, ..StateLimits::default() };
    let held = SqliteStateStore::open(folder.path().join("state.db"), limits).await.unwrap();
    for (id, time) in [("a", 5 * MINUTE), ("b", 4 * MINUTE), ("c", 3 * MINUTE)] {
        held.insert_at("ann", id, b"1", time).await.unwrap();
    }
    assert!(held.get_at("ann", "a", MINUTE).await.unwrap().is_none());
    assert!(held.get_at("ann", "c", MINUTE).await.unwrap().is_some());
}

#[tokio::test]
async fn a_foreign_file_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let words = folder.path().join("words.txt");
    std::fs::write(&words, "not a database, but a text that is longer than the head of one".repeat(9))
        .unwrap();
    let before = std::fs::read(&words).unwrap();
    assert!(SqliteStateStore::open(&words, StateLimits::default()).await.is_err());
    assert_eq!(std::fs::read(&words).unwrap(), before);
    let other = folder.path().join("other.db");
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}?mode=rwc", other.display())).await.unwrap();
    sqlx::query("CREATE TABLE cats (name TEXT)").execute(&pool).await.unwrap();
    pool.close().await;
    let error = SqliteStateStore::open(&other, StateLimits::default()).await.unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert!(source.contains("another program"), "{error:?}");
}
