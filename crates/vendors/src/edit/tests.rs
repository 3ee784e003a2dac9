//! Changes of a body, and the parts that stay.

use super::*;

#[track_caller]
fn check(body: &str, path: &str, change: Change, expected: &str) {
    let changed = apply(body.as_bytes().to_vec(), &[Edit::new(path, change)], &mut BTreeSet::new());
    assert_eq!(String::from_utf8(changed).unwrap(), expected);
}

#[test]
fn drop_removes_only_the_named_field() {
    check(r#"{"a":1.0,"stop":["x"],"b":{"stop":2}}"#, "stop", Change::Drop, r#"{"a":1.0,"b":{"stop":2}}"#);
    check(r#"{"b":{"stop":2,"c":[ 1 ]}}"#, "b.stop", Change::Drop, r#"{"b":{"c":[ 1 ]}}"#);
    check(r#"{"a":{}}"#, "a.b.c", Change::Drop, r#"{"a":{}}"#);
    check(r#"{"é\"":1}"#, "stop", Change::Drop, r#"{"é\"":1}"#);
    check(r#"{"é\"":1,"stop":0}"#, "stop", Change::Drop, r#"{"é\"":1}"#);
}

#[test]
fn a_value_that_is_not_an_object_is_unchanged() {
    for body in ["", "[]", "[{\"stop\":1}]", "nonsense", "7"] {
        check(body, "stop", Change::Drop, body);
    }
    assert_eq!(apply(vec![0xFF], &[Edit::new("stop", Change::Drop)], &mut BTreeSet::new()), [0xFF]);
}

#[test]
fn only_fields_that_were_there_and_are_gone_count_as_dropped() {
    let edits = [
        Edit::new("stop", Change::Drop),
        Edit::new("config.seed", Change::Drop),
        Edit::new("top_p", Change::Drop),
        Edit::new("max_tokens", Change::Rename("limit".to_owned())),
    ];
    let mut dropped = BTreeSet::new();
    apply(br#"{"stop":["x"],"config":{"seed":1},"max_tokens":5}"#.to_vec(), &edits, &mut dropped);
    assert!(dropped.iter().eq(["config.seed", "stop"]), "{dropped:?}");
}

#[test]
fn a_field_gets_another_name() {
    let to = || Change::Rename("max_completion_tokens".to_owned());
    check(r#"{"max_tokens":5,"z":1}"#, "max_tokens", to(), r#"{"max_completion_tokens":5,"z":1}"#);
    // A user's own field wins.
    let both = r#"{"max_tokens":5,"max_completion_tokens":7}"#;
    check(both, "max_tokens", to(), r#"{"max_completion_tokens":7}"#);
}

#[test]
fn values_are_exchanged_where_they_match() {
    let any = || Change::Exchange { from: "\"required\"".to_owned(), to: "\"any\"".to_owned() };
    check(r#"{"tool_choice":"required"}"#, "tool_choice", any(), r#"{"tool_choice":"any"}"#);
    check(r#"{"tool_choice":"none"}"#, "tool_choice", any(), r#"{"tool_choice":"none"}"#);
    let word = || Change::ObjectTo("\"required\"".to_owned());
    check(r#"{"tool_choice":{"type":"function"}}"#, "tool_choice", word(), r#"{"tool_choice":"required"}"#);
    check(r#"{"tool_choice":"auto"}"#, "tool_choice", word(), r#"{"tool_choice":"auto"}"#);
}

// N6
#[test]
fn a_new_field_is_inserted_before_the_messages() {
    let value = || Change::Default("7".to_owned());
    check(r#"{"model":"m","messages":[]}"#, "seed", value(), r#"{"model":"m","seed":7,"messages":[]}"#);
    check(r#"{"seed":1,"messages":[]}"#, "seed", value(), r#"{"seed":1,"messages":[]}"#);
    check("{}", "seed", value(), r#"{"seed":7}"#);
}

#[test]
fn drop_item_removes_one_item_of_a_list() {
    let item = || Change::DropItem("x".to_owned());
    check(r#"{"include":["x"],"a":1}"#, "include", item(), r#"{"a":1}"#);
    check(r#"{"include":["y","x"]}"#, "include", item(), r#"{"include":["y"]}"#);
    check(r#"{"include":7}"#, "include", item(), r#"{"include":7}"#);
}

#[test]
fn a_field_is_found_by_its_path() {
    let body = br#"{"a":{"b":1}}"#;
    for (path, expected) in [("a", true), ("a.b", true), ("b", false), ("a.b.c", false)] {
        assert_eq!(has(body, path), expected, "{path}");
    }
}
