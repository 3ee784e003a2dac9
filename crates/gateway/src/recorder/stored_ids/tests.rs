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
    assert_eq!(ids.lock().entries.len(), IDS);
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
    assert!(ids.lock().owners["ann"].is_empty());
}

#[test]
fn an_id_cannot_change_the_path_around_it() {
    for text in ["", "..", "a/b", "%2e%2e", "a?b", "a b", "a#", "\u{e9}"] {
        assert!(!is_id(text), "{text}");
    }
    assert!(is_id("resp_68a-9") && !is_id(&"a".repeat(257)));
}
