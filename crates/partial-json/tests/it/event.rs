//! Events: each is emitted once, in order, with its path.

use windlass_partial_json::{Event, Parser};

/// Checks the events after each push, written as text.
#[track_caller]
fn check(pushes: &[&str], expected: &[&str]) {
    let mut parser = Parser::new();
    let mut seen = Vec::new();
    for push in pushes {
        // The events before an error are emitted all the same.
        let _ = parser.push(push);
        parser.drain_events(|event| {
            seen.push(match event {
                Event::Began { path, kind } => format!("{path}: {kind:?}"),
                Event::Grew { path, text } => format!("{path} + {text}"),
                Event::Complete { path, value } => format!("{path} = {}", value.to_value().unwrap()),
                Event::Repeated { path } => format!("{path} again"),
                other => format!("{other:?}"),
            });
        });
    }
    assert_eq!(seen, expected);
}

#[test]
fn a_growing_string_emits_each_piece() {
    check(
        &["{\"content\": ", "\"ab", "cd\\", "n\"", "}"],
        &[
            ": Object",
            "/content: String",
            "/content + ab",
            "/content + cd",
            "/content + \n",
            "/content = \"abcd\\n\"",
            " = {\"content\":\"abcd\\n\"}",
        ],
    );
}

#[test]
fn events_of_several_pushes_are_drained_once() {
    let mut parser = Parser::new();
    for part in ["[\"a", "b", "c"] {
        parser.push(part).unwrap();
    }
    let mut count = 0;
    parser.drain_events(|_| count += 1);
    assert_eq!(count, 3);
    parser.drain_events(|_| count += 1);
    assert_eq!(count, 3);
}

#[test]
fn numbers_and_literals_are_emitted_when_complete() {
    // J4
    check(
        &["[1", "2", ",", "tr", "ue]"],
        &[": Array", "/0: Number", "/0 = 12", "/1: Bool", "/1 = true", " = [12,true]"],
    );
}

#[test]
fn paths_are_json_pointers() {
    check(
        &[r#"{"a/b": {"~": [[], null]}}"#],
        &[
            ": Object",
            "/a~1b: Object",
            "/a~1b/~0: Array",
            "/a~1b/~0/0: Array",
            "/a~1b/~0/0 = []",
            "/a~1b/~0/1: Null",
            "/a~1b/~0/1 = null",
            "/a~1b/~0 = [[],null]",
            "/a~1b = {\"~\":[[],null]}",
            " = {\"a/b\":{\"~\":[[],null]}}",
        ],
    );
}

#[test]
fn a_duplicate_key_is_reported_before_its_value() {
    // J7
    check(
        &[r#"{"a": 1, "a": "#, "[]}"],
        &[": Object", "/a: Number", "/a = 1", "/a again", "/a: Array", "/a = []", " = {\"a\":[]}"],
    );
}

#[test]
fn values_before_an_error_are_reported() {
    check(&["[1, x"], &[": Array", "/0: Number", "/0 = 1"]);
}
