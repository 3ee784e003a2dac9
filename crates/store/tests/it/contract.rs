//! The contract that every store fulfils.

use std::sync::Arc;
use std::time::Duration;

use windlass_journal::Durability;
use windlass_protocol::RawJson;
use windlass_store::{ContentHash, SessionRecords, SessionRow, StoreError};

use crate::scene::{Scene, over_each_store};

const LONG: Duration = Duration::from_mins(10);

over_each_store! {
    settings_are_read_as_they_were_written
    records_are_read_in_order_with_their_bytes
    a_journal_of_a_key_is_separate
    an_answer_replaces_the_one_of_the_same_name
    messages_keep_their_order_until_they_are_removed
    outputs_are_found_by_their_hash
    a_name_that_could_leave_its_place_is_refused
    a_run_that_does_not_exist_is_reported
    changes_of_sessions_are_read_after_a_number
    pages_of_sessions_begin_with_the_last_change
    runs_without_a_session_are_listed
}

fn json(text: &str) -> RawJson {
    text.parse().unwrap()
}

fn settings_are_read_as_they_were_written(scene: &Scene) {
    let store = &scene.store;
    for run in ["run-2", "run-1", "run-3"] {
        store.create_run(run, &json(r#"{"b":1,"a":"ü\u0000"}"#)).unwrap();
    }
    assert_eq!(store.read_settings("run-2").unwrap().as_str(), r#"{"b":1,"a":"ü\u0000"}"#);
    assert!(matches!(store.create_run("run-2", &json("1")), Err(StoreError::Exists { .. })));
    assert_eq!(store.list_runs(None, 2).unwrap(), ["run-1", "run-2"]);
    assert_eq!(store.list_runs(Some("run-2"), 2).unwrap(), ["run-3"]);
}

fn records_are_read_in_order_with_their_bytes(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    assert!(store.read_run_journal("r").unwrap().is_empty());
    let lease = store.claim("r", LONG).unwrap();
    let mut journal = lease.open_run_journal().unwrap();
    for number in 0..5_u64 {
        let durability = if number % 2 == 0 { Durability::Synced } else { Durability::Buffered };
        let body = json(&format!(r#"{{"z":{number},"a":"\u0000 ü"}}"#));
        assert_eq!(journal.append(body, 1_790_000_000_000 + number, durability).unwrap(), number);
    }
    drop(journal);
    let mut journal = lease.open_run_journal().unwrap();
    assert_eq!(journal.append(json("5"), 7, Durability::Synced).unwrap(), 5);
    assert_eq!(journal.records().unwrap(), store.read_run_journal("r").unwrap());
    let records = store.read_run_journal("r").unwrap();
    assert_eq!(records[3].body.as_str(), r#"{"z":3,"a":"\u0000 ü"}"#);
    assert_eq!((records[3].seq, records[3].at_ms, records.len()), (3, 1_790_000_000_003, 6));
}

fn a_journal_of_a_key_is_separate(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    let lease = store.claim("r", LONG).unwrap();
    lease.open_run_journal().unwrap().append(json("0"), 0, Durability::Synced).unwrap();
    let keys = ["r/call_1", "r/call_1/inner", "ü/../%"];
    for key in keys {
        assert!(lease.find(key).unwrap().is_none(), "{key}");
        lease.open(key).unwrap().append(json("1"), 0, Durability::Synced).unwrap();
        assert_eq!(lease.find(key).unwrap().unwrap().records().unwrap().len(), 1);
        assert_eq!(store.read_journal("r", key).unwrap()[0].body.as_str(), "1");
    }
    assert_eq!(store.list_journals("r").unwrap(), keys);
    assert_eq!(store.read_run_journal("r").unwrap().len(), 1);
}

fn an_answer_replaces_the_one_of_the_same_name(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    assert!(store.read_answers("r").unwrap().is_empty());
    store.put_answer("r", "b", &json("1")).unwrap();
    store.put_answer("r", "a", &json("2")).unwrap();
    store.put_answer("r", "b", &json("3")).unwrap();
    assert_eq!(store.read_answers("r").unwrap(), [("a".into(), json("2")), ("b".into(), json("3"))]);
}

fn messages_keep_their_order_until_they_are_removed(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    let numbers: Vec<u64> =
        (0..3).map(|number| store.push_message("r", &json(&number.to_string())).unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    let lease = store.claim("r", LONG).unwrap();
    lease.remove_message(numbers[1]).unwrap();
    lease.remove_message(numbers[1]).unwrap();
    let left = store.read_messages("r").unwrap();
    assert_eq!(left, [(numbers[0], json("0")), (numbers[2], json("2"))]);
    lease.remove_message(numbers[2]).unwrap();
    let next = store.push_message("r", &json("3")).unwrap();
    assert!(next > numbers[2], "the number of a removed message is not used again");
    lease.remove_message(numbers[2]).unwrap();
    assert_eq!(store.read_messages("r").unwrap(), [(numbers[0], json("0")), (next, json("3"))]);
}

fn outputs_are_found_by_their_hash(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    let lease = store.claim("r", LONG).unwrap();
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    let hash = lease.put_output("call-1.txt", &bytes).unwrap();
    assert_eq!(hash, ContentHash::compute(&bytes));
    lease.put_output("call-2.txt", b"old").unwrap();
    let other = lease.put_output("call-2.txt", b"new").unwrap();
    let names: Vec<_> =
        store.list_outputs("r").unwrap().into_iter().map(|output| (output.name, output.hash)).collect();
    assert_eq!(names, [("call-1.txt".to_owned(), hash.clone()), ("call-2.txt".to_owned(), other)]);
    assert_eq!(store.read_output("r", &hash).unwrap().unwrap(), bytes);
    assert!(store.read_output("r", &ContentHash::compute(b"none")).unwrap().is_none());
}

fn a_name_that_could_leave_its_place_is_refused(scene: &Scene) {
    let store = &scene.store;
    store.create_run("r", &json("{}")).unwrap();
    let lease = store.claim("r", LONG).unwrap();
    for name in ["", "..", "../x", "a/b", "a\0b"] {
        assert!(matches!(store.create_run(name, &json("1")), Err(StoreError::Name { .. })), "{name:?}");
        assert!(matches!(store.put_answer("r", name, &json("1")), Err(StoreError::Name { .. })), "{name:?}");
        assert!(matches!(lease.put_output(name, b""), Err(StoreError::Name { .. })), "{name:?}");
    }
    assert!(lease.open("").is_err() && lease.open("a\0b").is_err());
}

fn a_run_that_does_not_exist_is_reported(scene: &Scene) {
    let store = &scene.store;
    let errors = [
        store.read_settings("none").map(drop),
        store.claim("none", LONG).map(drop),
        store.read_run_journal("none").map(drop),
        store.list_journals("none").map(drop),
        store.put_answer("none", "a", &json("1")),
        store.read_answers("none").map(drop),
        store.push_message("none", &json("1")).map(drop),
        store.read_messages("none").map(drop),
        store.list_outputs("none").map(drop),
        store.read_output("none", &ContentHash::compute(b"")).map(drop),
    ];
    for error in errors {
        assert!(matches!(error, Err(StoreError::NotFound { .. })), "{error:?}");
    }
}

fn changes_of_sessions_are_read_after_a_number(scene: &Scene) {
    match scene.store.sessions() {
        Some(sessions) => check_changes(&sessions),
        None => assert!(!scene.has_expiry, "only a folder of runs has no sessions"),
    }
}

fn check_changes(sessions: &Arc<dyn SessionRecords>) {
    let ids = |after: u64| -> Vec<(String, Option<RawJson>)> {
        let changes = sessions.read_session_changes(after).unwrap();
        changes.into_iter().map(|change| (change.id, change.record)).collect()
    };
    assert!(ids(0).is_empty());
    let first = sessions.put_session(&SessionRow::new("b", 1, json(r#"{"z":1,"a":"\u0000 ü"}"#))).unwrap();
    let second = sessions.put_session(&SessionRow::new("a", 1, json("2"))).unwrap();
    assert_eq!(
        ids(0),
        [("b".to_owned(), Some(json(r#"{"z":1,"a":"\u0000 ü"}"#))), ("a".to_owned(), Some(json("2")))]
    );
    assert_eq!(ids(first), [("a".to_owned(), Some(json("2")))]);
    let third = sessions.put_session(&SessionRow::new("b", 1, json("3"))).unwrap();
    assert!(first < second && second < third);
    assert_eq!(ids(first), [("a".to_owned(), Some(json("2"))), ("b".to_owned(), Some(json("3")))]);
    sessions.remove_session("a").unwrap();
    sessions.remove_session("missing").unwrap();
    assert_eq!(ids(third), [("a".to_owned(), None), ("missing".to_owned(), None)]);
    assert_eq!(ids(0), [("b".to_owned(), Some(json("3")))], "a reader without records sees no removed one");
    assert!(sessions.remove_session("../x").is_err());

    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let sessions = Arc::clone(sessions);
            std::thread::spawn(move || {
                for number in 0..25 {
                    let row = SessionRow::new(format!("t{thread}-{number}"), 1, json("1"));
                    sessions.put_session(&row).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let versions: Vec<u64> =
        sessions.read_session_changes(0).unwrap().iter().map(|change| change.version).collect();
    assert_eq!(versions.len(), 101);
    assert!(versions.is_sorted_by(|one, other| one < other), "each change has a number of its own");
}

fn pages_of_sessions_begin_with_the_last_change(scene: &Scene) {
    match scene.store.sessions() {
        Some(sessions) => check_pages(&sessions),
        None => assert!(!scene.has_expiry, "only a folder of runs has no sessions"),
    }
}

fn check_pages(sessions: &Arc<dyn SessionRecords>) {
    assert_eq!((sessions.read_sessions(None, 10).unwrap(), sessions.count_sessions().unwrap()), (vec![], 0));
    for (id, changed_ms) in [("a", 30), ("b", 10), ("c", 20), ("d", 20), ("e", 40)] {
        sessions.put_session(&SessionRow::new(id, changed_ms, json(&format!("\"{id}\"")))).unwrap();
    }
    sessions.remove_session("e").unwrap();
    let mut ids = Vec::new();
    let mut after: Option<(u64, String)> = None;
    loop {
        let place = after.as_ref().map(|(changed_ms, id)| (*changed_ms, id.as_str()));
        let page = sessions.read_sessions(place, 2).unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.changed_ms, last.id.clone()));
        assert!(page.len() <= 2);
        ids.extend(
            page.into_iter().map(|row| (row.id.clone(), row.record == json(&format!("\"{}\"", row.id)))),
        );
    }
    assert_eq!(ids, ["a", "d", "c", "b"].map(|id| (id.to_owned(), true)));
    sessions.put_session(&SessionRow::new("b", 50, json("1"))).unwrap();
    assert_eq!(sessions.read_sessions(None, 1).unwrap(), [SessionRow::new("b", 50, json("1"))]);
    assert_eq!(sessions.count_sessions().unwrap(), 4);
    assert_eq!(sessions.read_session("b").unwrap(), Some(json("1")));
    assert_eq!((sessions.read_session("e").unwrap(), sessions.read_session("x").unwrap()), (None, None));
    check_states(sessions);
}

/// Checks the search by the beginning of an id, the open sessions and the counts, with the sessions `a` to `d`.
fn check_states(sessions: &Arc<dyn SessionRecords>) {
    let row = |id: &str, state: &str, is_open, questions| {
        SessionRow::new(id, 60, json("1")).with_state(state, is_open, questions)
    };
    let (asks, works) = (row("b1", "suspended", true, 2), row("b2", "working", true, 0));
    for session in [&asks, &works, &row("b3", "ended", false, 0)] {
        sessions.put_session(session).unwrap();
    }
    assert_eq!(sessions.read_open_sessions().unwrap(), [asks.clone(), works.clone()]);
    let ids = |prefix: &str, limit| {
        let rows = sessions.find_sessions(prefix, limit).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!((ids("b", 9), ids("b", 2)), (strings(&["b", "b1", "b2", "b3"]), strings(&["b", "b1"])));
    assert_eq!((ids("b%", 9), ids("B", 9), ids("e", 9)), (vec![], vec![], vec![]));
    assert_eq!(sessions.find_sessions("b2", 1).unwrap(), [works]);
    let counts = |sessions: &Arc<dyn SessionRecords>| {
        let counts = sessions.count_states().unwrap();
        counts
            .into_iter()
            .map(|count| (count.state, count.sessions, count.open_questions))
            .collect::<Vec<_>>()
    };
    let expected = [("", 4, 0), ("ended", 1, 0), ("suspended", 1, 2), ("working", 1, 0)];
    assert_eq!(counts(sessions), expected.map(|(state, count, open)| (state.to_owned(), count, open)));
    sessions.put_session(&row("b1", "ended", false, 0)).unwrap();
    sessions.remove_session("b2").unwrap();
    assert_eq!(sessions.read_open_sessions().unwrap(), []);
    assert_eq!(counts(sessions)[1], ("ended".to_owned(), 2, 0));
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn runs_without_a_session_are_listed(scene: &Scene) {
    for run in ["3", "1", "2"] {
        scene.store.create_run(run, &json("{}")).unwrap();
    }
    match scene.store.sessions() {
        Some(sessions) => check_assignment(&sessions),
        None => assert!(!scene.has_expiry, "only a folder of runs has no sessions"),
    }
}

fn check_assignment(sessions: &Arc<dyn SessionRecords>) {
    assert_eq!(sessions.list_unassigned_runs(2).unwrap(), ["1", "2"]);
    sessions.assign_run("1", "1").unwrap();
    sessions.assign_run("3", "").unwrap();
    sessions.assign_run("missing", "1").unwrap();
    assert_eq!(sessions.list_unassigned_runs(9).unwrap(), ["2"]);
    // A session is found by the beginning of a run's id, too.
    sessions.put_session(&SessionRow::new("s", 1, json("1"))).unwrap();
    sessions.assign_run("2", "s").unwrap();
    let found = sessions.find_sessions("2", 9).unwrap();
    assert_eq!(found.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["s"]);
}
