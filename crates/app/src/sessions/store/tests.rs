//! The contract of a store of sessions, which each store keeps, and the cost of a list.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use windlass_protocol::RawJson;
use windlass_store::{MemoryStore, SessionChange, SessionRecords, Store as _, StoreError};

use super::database::DatabaseSessions;
use super::folder::FolderSessions;
use super::{SessionStore, open_sessions};
use crate::app::App;
use crate::config::Folders;
use crate::sessions::catalog::Sessions;
use crate::sessions::record::SessionRecord;

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

/// Records that count what they return.
#[derive(Debug)]
struct Counted {
    records: Arc<dyn SessionRecords>,
    read: Arc<AtomicUsize>,
}

impl SessionRecords for Counted {
    fn put_session(&self, id: &str, record: Option<&RawJson>) -> Result<u64, StoreError> {
        self.records.put_session(id, record)
    }

    fn read_session_changes(&self, after: u64) -> Result<Vec<SessionChange>, StoreError> {
        let changes = self.records.read_session_changes(after)?;
        self.read.fetch_add(changes.len(), Ordering::Relaxed);
        Ok(changes)
    }
}

#[test]
fn the_sessions_of_a_database_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (records, read) = (MemoryStore::default().sessions().unwrap(), Arc::<AtomicUsize>::default());
    // The store in memory looks for its newest number with each change.
    for number in 0..1_000 {
        let id = format!("1790{number:06}-3f9a12bc");
        let text = serde_json::to_string(&record(&id, "make the tests pass")).unwrap();
        records.put_session(&id, Some(&text.parse().unwrap())).unwrap();
    }
    let store = DatabaseSessions::new(Arc::new(Counted { records, read: Arc::clone(&read) }));
    let sessions = Sessions::with_store(&app(folder.path()), store);
    assert_eq!((sessions.list().unwrap().len(), read.load(Ordering::Relaxed)), (1_000, 1_000));
    sessions.rename("1790000007-3f9a12bc", "renamed").unwrap();
    assert_eq!((sessions.list().unwrap().len(), read.load(Ordering::Relaxed)), (1_000, 1_001));
    assert_eq!(sessions.find("1790000007-3f9a12bc").unwrap().name, "renamed");
}
