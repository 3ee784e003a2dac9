//! Snapshots of prefixes: shown text, and text that is held back.

use serde_json::{Value, json};
use windlass_partial_json::{Completeness, ErrorKind, Kind, Parser, Status};

/// Checks the value that is shown for a prefix.
#[track_caller]
fn check(prefix: &str, shown: impl Into<Option<Value>>) {
    let mut parser = Parser::new();
    parser.push(prefix).unwrap();
    assert_eq!(parser.snapshot().to_value(), shown.into(), "{prefix}");
}

/// Checks the type and the completeness of the value at a pointer.
#[track_caller]
fn check_node(prefix: &str, pointer: &str, kind: Kind, completeness: Completeness) {
    let mut parser = Parser::new();
    parser.push(prefix).unwrap();
    let node = parser.snapshot().pointer(pointer).unwrap();
    assert_eq!((node.kind(), node.completeness()), (kind, completeness), "{prefix} {pointer}");
}

#[test]
fn a_key_appears_with_the_first_byte_of_its_value() {
    // J3
    check("", None);
    check("  ", None);
    check("{", json!({}));
    check(r#"{"path"#, json!({}));
    check(r#"{"path":"#, json!({}));
    check(r#"{"path": ""#, json!({"path": ""}));
    check(r#"{"path": "a"#, json!({"path": "a"}));
    check(r#"{"path": "a", "#, json!({"path": "a"}));
    check(r#"[[1, 2], {"a": [t"#, json!([[1, 2], {"a": []}]));
}

#[test]
fn numbers_and_literals_are_held_back_until_certain() {
    // J4
    check("[1", json!([]));
    check("[1,", json!([1]));
    check("[-1.5e3 ", json!([-1500.0]));
    check("[tru", json!([]));
    check("[true", json!([true]));
    check("[nul", json!([]));
    check("[null", json!([null]));
    check("12", None);
    check("12 ", json!(12));
}

#[test]
fn each_node_reports_its_completeness() {
    // J5
    check_node(r#"{"a": 1"#, "/a", Kind::Number, Completeness::Pending);
    check_node(r#"{"a": 1"#, "", Kind::Object, Completeness::Growing);
    check_node(r#"{"a": f"#, "/a", Kind::Bool, Completeness::Pending);
    check_node(r#"{"a": n"#, "/a", Kind::Null, Completeness::Pending);
    check_node(r#"{"a": ""#, "/a", Kind::String, Completeness::Growing);
    check_node(r#"{"a": """#, "/a", Kind::String, Completeness::Complete);
    check_node(r#"{"a": [1]"#, "/a", Kind::Array, Completeness::Complete);
    check_node(r#"{"a": [1]"#, "/a/0", Kind::Number, Completeness::Complete);
    check_node(r#"{"~/": {"": 1}"#, "/~0~1/", Kind::Number, Completeness::Complete);
}

#[test]
fn the_status_is_incomplete_complete_or_malformed() {
    // J5
    #[track_caller]
    fn check(text: &str, status: Status) {
        let mut parser = Parser::new();
        assert_eq!(parser.push(text).is_err(), matches!(status, Status::Malformed { .. }), "{text}");
        assert_eq!(parser.status(), status, "{text}");
        assert_eq!(parser.snapshot().status(), status);
    }
    check("", Status::Incomplete);
    check("[", Status::Incomplete);
    check("[]", Status::Complete);
    check("[] \n", Status::Complete);
    check("{} {", Status::Malformed { at: 3 });
    check("[1 2", Status::Malformed { at: 3 });
    check("{'a", Status::Malformed { at: 1 });
}

#[test]
fn an_error_keeps_the_snapshot_and_is_sticky() {
    // J5, J6
    let mut parser = Parser::new();
    let error = parser.push(r#"{"a": "x", "b": 1} trailing"#).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::TrailingText, 19));
    assert_eq!(parser.snapshot().to_value(), Some(json!({"a": "x", "b": 1})));
    assert_eq!(parser.push("{}").unwrap_err(), error);
    assert_eq!(parser.finish().unwrap_err(), error);
}

#[test]
fn the_snapshot_returns_the_pending_key() {
    // J3
    #[track_caller]
    fn check(prefix: &str, expected: Option<(&str, bool)>) {
        let mut parser = Parser::new();
        parser.push(prefix).unwrap();
        let key = parser.snapshot().pending_key().map(|key| (key.text, key.is_complete));
        assert_eq!(key, expected, "{prefix}");
    }
    check("{", None);
    check("{\"", Some(("", false)));
    check(r#"{"pa"#, Some(("pa", false)));
    check(r#"{"path""#, Some(("path", true)));
    check(r#"{"path" : "#, Some(("path", true)));
    check(r#"{"path": 1"#, None);
    check(r#"{"path": [{"in\u00"#, Some(("in", false)));
}

#[test]
fn the_last_of_two_equal_keys_wins_and_is_counted() {
    // J7
    let mut parser = Parser::new();
    parser.push(r#"{"a": 1, "b": 2, "\u0061": [3], "c": {"a": 4"#).unwrap();
    let root = parser.snapshot().root().unwrap();
    assert_eq!(parser.duplicates(), 1);
    assert_eq!(root.len(), 3);
    assert_eq!(root.members().map(|(key, _)| key).collect::<Vec<_>>(), ["b", "a", "c"]);
    assert_eq!(root.get("a").unwrap().kind(), Kind::Array);
}

#[test]
fn nodes_are_walked_by_key_and_by_index() {
    let mut parser = Parser::new();
    parser.push(r#"{"list": [10, "x", {"deep": true}, []], "n": 1"#).unwrap();
    let root = parser.snapshot().root().unwrap();
    let list = root.get("list").unwrap();
    assert_eq!(list.len(), 4);
    assert_eq!(list.at(0).unwrap().number_text(), Some("10"));
    assert_eq!(list.at(1).unwrap().as_str(), Some("x"));
    assert_eq!(list.at(2).unwrap().get("deep").unwrap().as_bool(), Some(true));
    assert!(list.at(3).unwrap().is_empty() && list.at(4).is_none());
    assert_eq!(root.get("n").unwrap().number_text(), None);
    assert!(root.elements().next().is_none() && list.members().next().is_none());
    assert_eq!(list.to_value(), Some(json!([10, "x", {"deep": true}, []])));
}

#[test]
fn bytes_may_be_cut_inside_characters() {
    // S14
    let mut parser = Parser::new();
    for byte in "[\"é豆😀\"]".bytes() {
        parser.push_bytes(&[byte]).unwrap();
    }
    assert_eq!(parser.finish().unwrap(), json!(["é豆😀"]));
}

#[test]
fn invalid_utf8_is_an_error_with_its_offset() {
    #[track_caller]
    fn check(parts: &[&[u8]], offset: usize) {
        let mut parser = Parser::new();
        let error = parts.iter().find_map(|part| parser.push_bytes(part).err()).unwrap();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidUtf8, offset));
        assert_eq!(parser.snapshot().to_value(), Some(json!("ab")));
    }
    check(&[b"\"ab\xFF"], 3);
    check(&[b"\"ab\xE2\x82", b"\""], 3);
    check(&[b"\"ab", b"\xE2", b"\x82", b"x"], 3);
}

#[test]
fn a_character_that_never_ends_is_incomplete() {
    let mut parser = Parser::new();
    parser.push_bytes(b"\"ab\xE2").unwrap();
    assert_eq!(parser.check().unwrap_err().kind(), ErrorKind::Incomplete);
    assert_eq!(parser.push("x").unwrap_err().kind(), ErrorKind::InvalidUtf8);
}

#[test]
fn a_serialized_snapshot_omits_pending_values() {
    // J4
    #[track_caller]
    fn check(prefix: &str, written: &str) {
        let mut parser = Parser::new();
        parser.push(prefix).unwrap();
        assert_eq!(serde_json::to_string(&parser.snapshot()).unwrap(), written, "{prefix}");
    }
    check("", "null");
    check("1", "null");
    check("1 ", "1");
    check(r#"{"a": [true, nul"#, r#"{"a":[true]}"#);
    check(
        r#"{"a": 12345678901234567890, "b": "x\n\u00e9"#,
        r#"{"a":12345678901234567890,"b":"x\n\u00e9"}"#.replace("\\u00e9", "é").as_str(),
    );
    check(r#"{"a": 1, "a": {"b": nu"#, r#"{"a":{}}"#);
}

#[test]
fn the_deepest_text_is_written_on_a_small_stack() {
    // J7
    let limits = windlass_partial_json::JsonLimits::default().with_depth(usize::MAX);
    let mut parser = Parser::with_limits(limits);
    parser.push(&"[".repeat(1023)).unwrap();
    let written = serde_json::to_string(&parser.snapshot()).unwrap();
    assert_eq!(written, "[".repeat(1023) + &"]".repeat(1023));
}

#[test]
fn a_cleared_parser_behaves_like_a_new_one() {
    // J2
    #[track_caller]
    fn check(before: &[u8]) {
        let mut parser = Parser::new();
        let _refused = parser.push_bytes(before);
        parser.drain_events(|_| {});
        parser.clear();
        assert_eq!((parser.status(), parser.snapshot().to_value()), (Status::Incomplete, None));
        let mut fresh = Parser::new();
        for delta in [r#"{"a": "x"#, r#"y", "b": [1"#, "2, {}]}"] {
            parser.push(delta).unwrap();
            fresh.push(delta).unwrap();
            assert_eq!(parser.snapshot().to_value(), fresh.snapshot().to_value(), "{before:?}");
            let [told, expected] = [&mut parser, &mut fresh].map(|parser| {
                let mut events = Vec::new();
                parser.drain_events(|event| events.push(format!("{event:?}")));
                events
            });
            assert_eq!(told, expected, "{before:?}");
        }
        assert_eq!((parser.duplicates(), parser.forgiven()), (0, 0));
        assert_eq!(parser.finish().unwrap(), fresh.finish().unwrap());
    }
    for before in
        ["", "{", r#"{"a": "x\u00"#, "[[[1", "[tru", "{\"a\": 1, \"a\": 2}", "]", "[\"\n", "[\"\u{e9}"]
    {
        check(before.as_bytes());
    }
    check(b"[\"\xc3");
    check(b"[\"\xff");
}
