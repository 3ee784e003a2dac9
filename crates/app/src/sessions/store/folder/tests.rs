//! The store in a folder: torn lines, growth, and many sessions.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;

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
fn a_page_of_ten_thousand_sessions_reads_its_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (mut text, mut begin) = (String::new(), 0);
    for number in 0..10_000 {
        let mut record =
            record(&format!("1790{number:06}-3f9a12bc"), "make the tests pass, and write the changelog");
        record.updated_ms = 1_790_000_000_000 + number;
        let _ = writeln!(text, "{}", serde_json::to_string(&Line::Put(Box::new(record))).unwrap());
        if number == 9_950 - 1 {
            begin = text.len();
        }
    }
    let file = folder.path().join(FILE);
    std::fs::write(&file, &text).unwrap();
    let store = FolderSessions::new(folder.path());
    assert_eq!(store.list().unwrap().len(), 10_000);
    // A change reads its own line and not the file.
    store.save(&record("2-b", "two")).unwrap();
    assert_eq!(store.list().unwrap().len(), 10_001);

    // The lines of other sessions are not read: they are damaged here, in the same file.
    let damage = OpenOptions::new().write(true).open(&file).unwrap();
    damage.write_all_at("x".repeat(begin).as_bytes(), 0).unwrap();
    let cold = FolderSessions::new(folder.path());
    let page = cold.page(None, 50).unwrap();
    assert_eq!((page.len(), page[49].id.as_str()), (50, "1790009950-3f9a12bc"));
    assert_eq!(cold.get("2-b").unwrap().unwrap().name, "two");
    assert_eq!(cold.count().unwrap(), 10_001);
    assert_eq!(cold.page(None, 51).unwrap().len(), 50, "the next line is damaged");
    assert_eq!(cold.counts().unwrap().states.values().sum::<usize>(), 10_001);
    assert!(cold.open().unwrap().is_empty());
    assert_eq!(cold.find("179000999", 99).unwrap().len(), 10);
    assert_eq!(cold.find("1790005", 99).unwrap().len(), 0, "the found lines are damaged");
}

#[test]
fn a_file_that_was_written_again_has_a_new_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderSessions::new(folder.path());
    let other = FolderSessions::new(folder.path());
    for round in 0..8 {
        for number in 0..SPARE_LINES {
            store.save(&record(&format!("1-{number}"), &format!("{round}"))).unwrap();
        }
        for reader in [&store, &other, &FolderSessions::new(folder.path())] {
            let names: Vec<String> = reader.list().unwrap().into_iter().map(|record| record.name).collect();
            assert_eq!(names, vec![round.to_string(); SPARE_LINES]);
            assert_eq!(reader.page(None, 300).unwrap().len(), SPARE_LINES);
        }
    }
}
