//! The contract of a store of sessions, which each store keeps, and the cost of a list.

mod many;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use windlass_protocol::RawJson;
use windlass_store::{
    MemoryStore, SessionChange, SessionRecords, SessionRow, StateCount, Store as _, StoreError,
};

use super::SessionStore;
use super::database::DatabaseSessions;
use super::folder::FolderSessions;
#[cfg(feature = "sqlite")]
use super::open_sessions;
use crate::app::App;
use crate::config::Folders;
use crate::sessions::catalog::Sessions;
use crate::sessions::page::PageRequest;
use crate::sessions::record::{SessionRecord, SessionState};

pub(super) fn record(id: &str, name: &str) -> SessionRecord {
    serde_json::from_value(json!({
        "id": id, "name": name, "root": "/work", "provider": "p", "model": "m", "autonomy": "ask",
        "preset": "Standard", "state": "ended", "created_ms": 1, "updated_ms": 2,
        "runs": [{"id": id, "first_seq": 1}]
    }))
    .unwrap()
}

/// Checks the contract of a store. `open` returns another handle to the same store, like another process.
fn check_contract(open: &dyn Fn() -> Arc<dyn SessionStore>) {
    let (one, other) = (open(), open());
    assert!(one.list().unwrap().is_empty() && one.get("1-a").unwrap().is_none());
    one.save(&record("2-b", "two")).unwrap();
    other.save(&record("1-a", "one")).unwrap();
    let names = |store: &dyn SessionStore| {
        store.list().unwrap().into_iter().map(|record| record.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&*one), ["one", "two"]);
    one.save(&record("1-a", "renamed")).unwrap();
    assert_eq!(other.get("1-a").unwrap(), Some(record("1-a", "renamed")));
    other.remove("2-b").unwrap();
    other.remove("3-c").unwrap();
    assert_eq!(names(&*one), ["renamed"]);
    assert_eq!(names(&*open()), ["renamed"]);
    one.save(&record("2-b", "again")).unwrap();
    assert_eq!(names(&*other), ["renamed", "again"]);
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let store = open();
            std::thread::spawn(move || {
                for number in 0..20 {
                    store.save(&record(&format!("3-{writer}-{number}"), "many")).unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(one.list().unwrap().len(), 82);
    assert_eq!(one.list().unwrap(), open().list().unwrap());
}

#[test]
fn the_store_in_a_folder_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    check_contract(&|| Arc::new(FolderSessions::new(folder.path().join("state"))));
}

#[test]
fn the_store_in_memory_keeps_the_contract() {
    let memory = MemoryStore::default();
    check_contract(&|| Arc::new(DatabaseSessions::new(memory.sessions().unwrap())));
}

#[cfg(feature = "sqlite")]
#[test]
fn the_store_in_sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let app = sqlite(folder.path());
    // Another handle to the application opens the database again.
    check_contract(&|| open_sessions(&sqlite(folder.path())).unwrap());
    assert_eq!(Sessions::new(&app).unwrap().list().unwrap().len(), 82);
    assert!(!folder.path().join("state/sessions.jsonl").exists());
}

#[cfg(feature = "sqlite")]
fn sqlite(folder: &std::path::Path) -> App {
    let url = windlass_store::StoreUrl::new(format!("sqlite://{}/runs.db", folder.display()));
    app(folder).with_store(&url).unwrap()
}

fn app(folder: &std::path::Path) -> App {
    App::new(Folders::new(folder.join("settings"), folder.join("state")))
}

#[cfg(feature = "sqlite")]
#[test]
fn the_sessions_of_a_database_are_imported_from_the_folder_of_an_earlier_version_once() {
    let folder = tempfile::tempdir().unwrap();
    let app = sqlite(folder.path());
    let earlier = FolderSessions::new(app.sessions_folder().unwrap());
    earlier.save(&record("1-a", "earlier")).unwrap();
    let sessions = open_sessions(&app).unwrap();
    assert_eq!(sessions.list().unwrap(), [record("1-a", "earlier")]);
    sessions.remove("1-a").unwrap();
    assert!(open_sessions(&app).unwrap().list().unwrap().is_empty(), "a removed session does not come back");
}

/// Records that count the entries that they return.
#[derive(Debug)]
struct Counted {
    records: Arc<dyn SessionRecords>,
    read: Arc<AtomicUsize>,
}

impl Counted {
    fn count<T>(&self, rows: Result<Vec<T>, StoreError>) -> Result<Vec<T>, StoreError> {
        self.read.fetch_add(rows.as_ref().map_or(0, Vec::len), Ordering::Relaxed);
        rows
    }
}

impl SessionRecords for Counted {
    fn put_session(&self, row: &SessionRow) -> Result<u64, StoreError> {
        self.records.put_session(row)
    }

    fn remove_session(&self, id: &str) -> Result<u64, StoreError> {
        self.records.remove_session(id)
    }

    fn read_session(&self, id: &str) -> Result<Option<RawJson>, StoreError> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.records.read_session(id)
    }

    fn read_sessions(&self, after: Option<(u64, &str)>, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.count(self.records.read_sessions(after, limit))
    }

    fn find_sessions(&self, prefix: &str, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.count(self.records.find_sessions(prefix, limit))
    }

    fn read_open_sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.count(self.records.read_open_sessions())
    }

    fn count_states(&self) -> Result<Vec<StateCount>, StoreError> {
        self.count(self.records.count_states())
    }

    fn count_sessions(&self) -> Result<u64, StoreError> {
        self.records.count_sessions()
    }

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        self.count(self.records.read_session_changes(after))
    }

    fn assign_run(&self, run: &str, session: &str) -> Result<(), StoreError> {
        self.records.assign_run(run, session)
    }

    fn list_unassigned_runs(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.count(self.records.list_unassigned_runs(limit))
    }
}

/// Returns the record of one of many sessions, which changed later than those of smaller numbers.
fn numbered(number: u64) -> SessionRecord {
    let mut record =
        record(&format!("1790{number:06}-3f9a12bc"), "make the tests pass, and write the changelog");
    record.updated_ms = 1_790_000_000_000 + number;
    record
}

#[test]
fn the_sessions_of_a_database_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (records, read) = (MemoryStore::default().sessions().unwrap(), Arc::<AtomicUsize>::default());
    // The store in memory looks for its newest number with each change.
    for number in 0..1_000 {
        DatabaseSessions::new(Arc::clone(&records)).save(&numbered(number)).unwrap();
    }
    let store = DatabaseSessions::new(Arc::new(Counted { records, read: Arc::clone(&read) }));
    let sessions = Sessions::with_store(&app(folder.path()), store);
    let take = || read.swap(0, Ordering::Relaxed);
    // A page reads its own rows, and one more row that shows whether a next page exists.
    let page = sessions.page(&PageRequest::new(50)).unwrap();
    assert_eq!((page.records.len(), page.records[0].clone(), take()), (50, numbered(999), 51));
    let page = sessions.page(&PageRequest::new(50).starting_after(page.next.unwrap())).unwrap();
    assert_eq!((page.records.len(), page.records[0].clone(), take()), (50, numbered(949), 51));
    assert_eq!((sessions.count().unwrap(), take()), (1_000, 0));
    assert_eq!((sessions.list().unwrap().len(), take()), (1_000, 1_000));
    sessions.rename("1790000007-3f9a12bc", "renamed").unwrap();
    assert_eq!((sessions.list().unwrap().len(), take()), (1_000, 2));
    assert_eq!(sessions.find("1790000007-3f9a12bc").unwrap().name, "renamed");
}

/// Returns a suspended session with questions, whose newest run has another id.
fn suspended(number: u64) -> SessionRecord {
    let mut record = numbered(number);
    (record.state, record.open_questions) = (SessionState::Suspended, 2);
    record
        .runs
        .push(serde_json::from_value(json!({"id": format!("77{number}-run"), "first_seq": 9})).unwrap());
    record
}

#[test]
fn the_search_the_open_sessions_and_the_counts_read_their_own_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (records, read) = (MemoryStore::default().sessions().unwrap(), Arc::<AtomicUsize>::default());
    for number in 0..1_000 {
        let record = if number % 400 == 7 { suspended(number) } else { numbered(number) };
        DatabaseSessions::new(Arc::clone(&records)).save(&record).unwrap();
    }
    let store = DatabaseSessions::new(Arc::new(Counted { records, read: Arc::clone(&read) }));
    let sessions = Sessions::with_store(&app(folder.path()), store);
    let take = || read.swap(0, Ordering::Relaxed);
    assert_eq!(sessions.open_sessions().unwrap(), [7, 407, 807].map(suspended));
    assert_eq!(take(), 3);
    let counts = sessions.counts().unwrap();
    assert_eq!((counts.states[&SessionState::Ended], counts.states[&SessionState::Suspended]), (997, 3));
    // Two states, and the three open sessions, whose processes may have been killed.
    assert_eq!((counts.open_questions, take()), (6, 5));
    assert_eq!(sessions.find("1790000500").unwrap(), numbered(500));
    // A complete id is found with one lookup.
    assert_eq!(take(), 2);
    let many = sessions.find("17900004").unwrap_err().to_string();
    assert!(
        many.contains("several sessions begin with 17900004: 1790000400-3f9a12bc, ")
            && many.ends_with("and more")
    );
    assert_eq!(take(), 7);
    assert!(sessions.find("2").is_err());
}

/// Checks the open sessions, the counts and the search of a store with its handle from another process.
fn check_states(app: &App) {
    let store = Sessions::new(app).unwrap().store();
    for number in 0..600 {
        store.save(&if number % 250 == 3 { suspended(number) } else { numbered(number) }).unwrap();
    }
    // The index of a folder does not contain these changes yet.
    store.save(&numbered(3)).unwrap();
    store.save(&suspended(598)).unwrap();
    store.remove(&numbered(0).id).unwrap();
    for sessions in [Sessions::new(app).unwrap(), Sessions::new(app).unwrap()] {
        assert_eq!(sessions.open_sessions().unwrap(), [253, 503, 598].map(suspended));
        let counts = sessions.counts().unwrap();
        assert_eq!((counts.states[&SessionState::Ended], counts.states.len()), (596, 2));
        assert_eq!((counts.states[&SessionState::Suspended], counts.open_questions), (3, 6));
        assert_eq!(sessions.find("1790000253").unwrap(), suspended(253));
        assert!(sessions.find("1790000000").is_err(), "it was removed");
    }
    let found = |prefix: &str| {
        let found = Sessions::new(app).unwrap().store().find(prefix, 3).unwrap();
        found.into_iter().map(|record| record.id).collect::<Vec<_>>()
    };
    assert_eq!(found("17900001"), [100, 101, 102].map(|number| numbered(number).id));
}

#[test]
fn a_folder_has_states_of_its_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(folder.path());
    check_states(&app);
    let sessions = Sessions::new(&app).unwrap();
    assert_eq!(sessions.find("77503").unwrap(), suspended(503), "by the beginning of a run's id");
    assert_eq!(sessions.find("77598").unwrap(), suspended(598));
    assert!(sessions.find("773-").is_err(), "the record changed");
}

#[cfg(feature = "sqlite")]
#[test]
fn sqlite_has_states_of_its_sessions() {
    let folder = tempfile::tempdir().unwrap();
    check_states(&sqlite(folder.path()));
}

/// Fills a store, and reads all of its pages.
fn check_pages(app: &App) {
    let sessions = Sessions::new(app).unwrap();
    let store = sessions.store();
    for number in 0..700 {
        store.save(&numbered(number)).unwrap();
    }
    store.remove(&numbered(13).id).unwrap();
    let mut changed = numbered(5);
    changed.updated_ms += 1_000;
    changed.root = "/other".into();
    store.save(&changed).unwrap();
    let expected: Vec<SessionRecord> = sessions.list().unwrap();
    assert_eq!((expected.len(), &expected[0], sessions.count().unwrap()), (699, &changed, 699));
    for sessions in [&sessions, &Sessions::new(app).unwrap()] {
        for size in [1_000, 699, 100] {
            let (mut found, mut request) = (Vec::new(), PageRequest::new(size));
            loop {
                let page = sessions.page(&request).unwrap();
                assert!(page.records.len() == size || page.next.is_none());
                found.extend(page.records);
                let Some(next) = page.next else { break };
                request = request.starting_after(next);
            }
            assert_eq!(found, expected, "pages of {size}");
        }
        let page = sessions.page(&PageRequest::new(1).in_folder("/other")).unwrap();
        assert_eq!((page.records, page.next), (vec![changed.clone()], None));
        assert_eq!(sessions.find("last").unwrap(), changed);
        assert!(sessions.find(&numbered(13).id).is_err());
    }
}

#[test]
fn pages_of_a_folder_have_every_session_once() {
    let folder = tempfile::tempdir().unwrap();
    check_pages(&app(folder.path()));
}

#[cfg(feature = "sqlite")]
#[test]
fn pages_of_sqlite_have_every_session_once() {
    let folder = tempfile::tempdir().unwrap();
    check_pages(&sqlite(folder.path()));
}
