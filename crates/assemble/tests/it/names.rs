//! Names that come in pieces, twice, late or never.

use windlass_assemble::CallEvent;

use crate::script::{calls, check, check_with, delta, end, fragment, run, start, tools};

// S5
#[test]
fn a_split_name_is_joined() {
    let pieces =
        [fragment(0, "a", "read_", ""), fragment(0, "", "file", ""), fragment(0, "", "", "{}"), calls()];
    check(pieces.clone(), &["a read_file {}"]);
    check_with(tools(&["read_file", "read"]), pieces, &["a read_file {}"]);
}

// S5
#[test]
fn a_repeated_name_is_not_appended() {
    let pieces =
        [fragment(0, "a", "read", ""), fragment(0, "", "read", ""), fragment(0, "", "read", "{}"), calls()];
    check(pieces.clone(), &["a read {}"]);
    check_with(tools(&["read", "readread"]), pieces, &["a read {}"]);
}

// S5
#[test]
fn cumulative_names_replace_the_earlier_prefix() {
    check(
        [
            fragment(0, "a", "re", ""),
            fragment(0, "", "read", ""),
            fragment(0, "", "read_file", "{}"),
            calls(),
        ],
        &["a read_file {}"],
    );
}

// S5
#[test]
fn the_first_complete_known_name_wins() {
    check_with(
        tools(&["read"]),
        [fragment(0, "a", "read", ""), fragment(0, "", "_file", "{}"), calls()],
        &["a read {}"],
    );
}

// S5
#[test]
fn a_known_name_starts_its_call_at_once() {
    let (events, _) = run(tools(&["read"]), [fragment(0, "a", "read", "")]);
    assert!(matches!(&events[0], CallEvent::Started { name, .. } if name.as_str() == "read"));
}

// S4
#[test]
fn arguments_before_the_name_are_emitted_after_the_start() {
    let chunks = [
        fragment(0, "a", "", r#"{"x":"#),
        fragment(0, "", "", r#""y"#),
        fragment(0, "", "read", ""),
        fragment(0, "", "", r#""}"#),
        calls(),
    ];
    let (events, answer) = run(tools(&["read"]), chunks);
    assert!(matches!(&events[0], CallEvent::Started { .. }));
    assert!(matches!(&events[1], CallEvent::Arguments { delta, .. } if delta == r#"{"x":"y"#));
    assert!(matches!(&events[2], CallEvent::Arguments { delta, .. } if delta == r#""}"#));
    assert!(
        matches!(&events[3], CallEvent::ArgumentComplete { path, value, .. } if path == "/x" && value == "y")
    );
    assert!(matches!(&events[4], CallEvent::Finished { .. }));
    assert_eq!(answer.good_calls().count(), 1);
}

// S11
#[test]
fn a_call_without_a_name_is_malformed() {
    check([fragment(0, "a", "", r#"{"x":1}"#), calls()], &[r#"a - ! the call has no tool name: {"x":1}"#]);
    check([start(3, "a", ""), delta(3, "{}"), end(3), calls()], &["a - ! the call has no tool name: {}"]);
    check([delta(3, "{}"), calls()], &["call_7_0 - ! the call has no tool name: {}"]);
}

#[test]
fn an_invalid_tool_name_makes_the_call_malformed() {
    check(
        [fragment(0, "a", "two\nlines", "{}"), calls()],
        &["a - ! the call's tool name is not usable: a tool name has a control character at byte 3: {}"],
    );
}
