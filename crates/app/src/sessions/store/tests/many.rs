//! Ten thousand sessions: a page reads its own rows, and a prune the rows of the sessions that are old enough.

use std::time::{Duration, Instant};

use super::{app, numbered, suspended};
use crate::app::App;
use crate::sessions::catalog::Sessions;
use crate::sessions::page::PageRequest;
use crate::sessions::prune::Prune;
use crate::sessions::store::SessionStore;

const COUNT: u64 = 10_000;

/// The time of the last change of the newest session.
const NEWEST_MS: u64 = 1_790_000_000_000 + COUNT - 1;

fn fill(store: &dyn SessionStore) {
    for number in 0..COUNT {
        store.save(&if number == 7 { suspended(number) } else { numbered(number) }).unwrap();
    }
}

/// Lists and prunes the sessions of a store. `rows` returns the number of rows that were read since its last call, if the
/// store counts them. Prints the times.
fn check_many(sessions: &Sessions, rows: &dyn Fn() -> Option<usize>) {
    rows();
    let page = measure("a page of 50", || sessions.page(&PageRequest::new(50)).unwrap());
    assert_eq!((page.records.len(), &page.records[0]), (50, &numbered(COUNT - 1)));
    assert_eq!(rows().unwrap_or(51), 51);
    let all = measure("all sessions", || sessions.list().unwrap());
    assert_eq!(all.len(), 10_000);
    assert_eq!(rows().unwrap_or(10_000), 10_000);
    measure("all sessions again", || assert_eq!(sessions.list().unwrap(), all));
    assert_eq!(rows().unwrap_or(0), 0);

    // The 100 oldest sessions are old enough, and one of them waits for answers.
    let mut prune = Prune { older_than_ms: Some(COUNT - 100), is_dry_run: true, ..Prune::default() };
    let old = measure("a prune by age", || sessions.prune(prune, NEWEST_MS).unwrap());
    assert_eq!((old.len(), &old[0], &old[98]), (99, &numbered(0), &numbered(99)));
    assert!(rows().unwrap_or(0) <= 110);
    prune.is_dry_run = false;
    assert_eq!(sessions.prune(prune, NEWEST_MS).unwrap(), old);
    assert_eq!(sessions.count().unwrap(), 9_901);
    // Runs without folders need no bytes, so a limit selects nothing and reads every page.
    prune.older_than_ms = None;
    prune.max_bytes = Some(1);
    rows();
    assert!(sessions.prune(prune, NEWEST_MS).unwrap().is_empty());
    assert!(rows().unwrap_or(9_901) < 9_901 + 2 * 20);
}

fn measure<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    let time: Duration = start.elapsed();
    eprintln!("{name}: {} ms", time.as_millis());
    result
}

#[test]
fn ten_thousand_sessions_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let app: App = app(folder.path());
    let sessions = Sessions::new(&app).unwrap();
    fill(&*sessions.store());
    check_many(&Sessions::new(&app).unwrap(), &|| None);
}

#[cfg(feature = "sqlite")]
#[test]
fn ten_thousand_sessions_in_sqlite_read_their_own_rows() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let folder = tempfile::tempdir().unwrap();
    let app = super::sqlite(folder.path());
    let records = app.store().database().unwrap().sessions().unwrap();
    let read = Arc::<AtomicUsize>::default();
    let counted = super::Counted { records, read: Arc::clone(&read) };
    let sessions = Sessions::with_store(&app, super::DatabaseSessions::new(Arc::new(counted)));
    fill(&*sessions.store());
    check_many(&sessions, &|| Some(read.swap(0, Ordering::Relaxed)));
}
