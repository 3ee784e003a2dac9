//! The store in a folder: torn lines, growth, and many sessions.

use std::fmt::Write as _;

use super::{FILE, FolderSessions, Line, SPARE_LINES};
use crate::sessions::store::SessionStore;
use crate::sessions::store::tests::record;

#[test]
fn a_torn_line_loses_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderSessions::new(folder.path());
    store.save(&record("1-a", "one")).unwrap();
    let file = folder.path().join(FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{}", &text[..30])).unwrap();
    assert_eq!(FolderSessions::new(folder.path()).list().unwrap().len(), 1);
    store.save(&record("2-b", "two")).unwrap();
    assert_eq!(FolderSessions::new(folder.path()).list().unwrap().len(), 2);
}

#[test]
fn changes_do_not_let_the_file_grow_without_bound() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderSessions::new(folder.path());
    for number in 0..SPARE_LINES * 3 {
        store.save(&record("1-a", &number.to_string())).unwrap();
    }
    let lines = std::fs::read_to_string(folder.path().join(FILE)).unwrap().lines().count();
    assert!(lines <= SPARE_LINES + 3, "{lines}");
    assert_eq!(store.get("1-a").unwrap().unwrap().name, (SPARE_LINES * 3 - 1).to_string());
}

#[test]
fn ten_thousand_sessions_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for number in 0..10_000 {
        let record =
            record(&format!("1790{number:06}-3f9a12bc"), "make the tests pass, and write the changelog");
        let _ = writeln!(text, "{}", serde_json::to_string(&Line::Put(Box::new(record))).unwrap());
    }
    std::fs::write(folder.path().join(FILE), text).unwrap();
    let store = FolderSessions::new(folder.path());
    assert_eq!(store.list().unwrap().len(), 10_000);
    // A change reads its own line and not the file.
    store.save(&record("2-b", "two")).unwrap();
    assert_eq!(store.list().unwrap().len(), 10_001);
}
