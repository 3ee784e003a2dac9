//! Journals by key: found again, and never mixed up.

use std::collections::BTreeSet;

use super::{FileJournals, Journals, MemoryJournals};
use crate::{Durability, Journal as _};

#[track_caller]
fn check_kept(journals: &dyn Journals) {
    for key in ["run-1/call_1", "run-1/call_2", "run-1/call_1/call_1"] {
        assert!(journals.open(key).unwrap().records().unwrap().is_empty(), "{key} is new");
        let body = serde_json::to_string(key).unwrap().parse().unwrap();
        journals.open(key).unwrap().append(body, 0, Durability::Synced).unwrap();
    }
    let records = journals.open("run-1/call_1").unwrap().records().unwrap();
    assert_eq!(records.iter().map(|record| record.body.as_str()).collect::<Vec<_>>(), [r#""run-1/call_1""#]);
}

#[test]
fn a_key_gives_the_same_journal_again() {
    check_kept(&MemoryJournals::default());
    let folder = tempfile::tempdir().unwrap();
    check_kept(&FileJournals::new(folder.path()));
}

// Ids come from providers. For any id the journal is in its folder, and two ids never share a journal.
#[test]
fn keys_of_any_kind_are_paths_of_their_own_below_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let journals = FileJournals::new(folder.path());
    let long = "x".repeat(1_000);
    let keys = [
        "a",
        "A%61",
        "a/b",
        "a%2fb",
        "a/",
        "/a",
        "..",
        "../..",
        "a/../b",
        "journal",
        "a/journal",
        "c-a",
        "",
        "é",
        "a\0b",
        "a b",
        long.as_str(),
        &format!("{long}y"),
    ];
    let paths: BTreeSet<_> = keys.iter().map(|key| journals.path(key)).collect();
    assert_eq!(paths.len(), keys.len(), "each its own");
    for (key, path) in keys.iter().zip(keys.iter().map(|key| journals.path(key))) {
        assert!(path.starts_with(folder.path()), "{key:?}");
        assert!(!path.components().any(|part| part.as_os_str() == ".."), "{key:?}");
        journals.open(key).unwrap().append("1".parse().unwrap(), 0, Durability::Buffered).unwrap();
    }
    for key in keys {
        assert_eq!(journals.open(key).unwrap().records().unwrap().len(), 1, "{key:?}");
    }
}
