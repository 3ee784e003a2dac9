//! Bounds of the table, and clients that must not displace each other.

use super::{IDS, IDS_OF_A_CLIENT, StoredAt, StoredIds, is_id};

#[test]
fn a_client_displaces_only_its_own_ids() {
    let ids = StoredIds::default();
    ids.insert("ann", "resp_of_ann", "up");
    for number in 0..=IDS_OF_A_CLIENT {
        ids.insert("bob", &format!("resp_{number}"), "up");
    }
    assert_eq!(ids.find("ann", "resp_of_ann"), StoredAt::Upstream("up".to_owned()));
    assert_eq!(ids.find("bob", "resp_0"), StoredAt::Unknown);
    assert_eq!(ids.find("bob", "resp_1"), StoredAt::Upstream("up".to_owned()));
    assert_eq!(ids.find("ann", "resp_1"), StoredAt::Foreign);
}

#[test]
fn many_clients_displace_the_ids_of_the_largest_one() {
    let ids = StoredIds::default();
    for number in 0..100 {
        ids.insert("large", &format!("resp_{number}"), "up");
    }
    for number in 0..IDS {
        ids.insert(&format!("client {number}"), &format!("resp_x{number}"), "up");
    }
    assert_eq!(ids.lock().records.entries.len(), IDS);
    assert_eq!(ids.find("large", "resp_98"), StoredAt::Unknown);
    assert_eq!(ids.find("client 0", "resp_x0"), StoredAt::Upstream("up".to_owned()));
}

#[test]
fn an_id_has_one_owner_until_it_is_removed() {
    let ids = StoredIds::default();
    ids.insert("ann", "resp_1", "first");
    ids.insert("bob", "resp_1", "second");
    assert_eq!(ids.find("ann", "resp_1"), StoredAt::Upstream("first".to_owned()));
    ids.remove("bob", "resp_1");
    assert_eq!(ids.find("bob", "resp_1"), StoredAt::Foreign);
    ids.remove("ann", "resp_1");
    assert_eq!(ids.find("ann", "resp_1"), StoredAt::Unknown);
    assert!(ids.lock().records.owners.is_empty());
}

#[test]
fn an_id_cannot_change_the_path_around_it() {
    for text in ["", "..", "a/b", "%2e%2e", "a?b", "a b", "a#", "\u{e9}"] {
        assert!(!is_id(text), "{text}");
    }
    assert!(is_id("resp_68a-9") && !is_id(&"a".repeat(257)));
}

/// A table whose file is this one.
fn open(path: &std::path::Path) -> StoredIds {
    let ids = StoredIds::default();
    assert_eq!(ids.open(path).unwrap().count_damaged_lines(), 0);
    ids
}

#[test]
fn a_file_keeps_ids_with_their_owner_upstream_and_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.jsonl");
    let ids = open(&path);
    for number in 0..=IDS_OF_A_CLIENT {
        ids.insert("bob", &format!("resp_{number}"), "up");
    }
    ids.insert("ann", "resp_a", "first");
    ids.insert("ann", "resp_a", "second");
    ids.insert("ann", "resp_gone", "first");
    ids.remove("ann", "resp_gone");
    for _ in 0..2 {
        drop(std::mem::take(&mut *ids.lock()));
        let ids = open(&path);
        assert_eq!(ids.find("ann", "resp_a"), StoredAt::Upstream("second".to_owned()));
        assert_eq!(ids.find("bob", "resp_a"), StoredAt::Foreign);
        assert_eq!(ids.find("ann", "resp_gone"), StoredAt::Unknown);
        assert_eq!(ids.find("bob", "resp_0"), StoredAt::Unknown);
        assert_eq!(ids.find("bob", "resp_1"), StoredAt::Upstream("up".to_owned()));
    }
    // The oldest id is forgotten first, as before the restart.
    let ids = open(&path);
    ids.insert("bob", "resp_new", "up");
    assert_eq!(ids.find("bob", "resp_1"), StoredAt::Unknown);
    assert_eq!(ids.find("bob", "resp_2"), StoredAt::Upstream("up".to_owned()));
}

/// Clients without end would fill a disk.
#[test]
fn the_file_of_a_full_table_stays_below_twice_its_ids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.jsonl");
    let ids = open(&path);
    let id = |number: usize| format!("resp_{number:060}");
    for number in 0..2 * IDS + 1_200 {
        ids.insert(&format!("{:064}", number % 40), &id(number), "up");
    }
    let held = ids.lock().records.entries.len();
    assert_eq!(held, IDS);
    let line = r#"{"owner":"","id":"resp_","upstream":"up"}"#.len() + 64 + 60 + 1;
    let bytes_of = |lines: usize| (line * lines) as u64;
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes <= bytes_of(2 * IDS + 1_100), "{bytes}");
    drop(ids);
    let ids = open(&path);
    assert_eq!(ids.lock().records.entries.len(), held);
    assert!(std::fs::metadata(&path).unwrap().len() <= bytes_of(held + 1));
}
