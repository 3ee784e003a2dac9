//! Calls that leaked into text (RULES X5).

use windlass_protocol::Arguments;
use windlass_schema::Checker;
use windlass_text_calls::{Leak, LeakDetector, NativeCalls};

use crate::scan::{answer, calls, tool};

const CALL: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {\"n\": 1}}</tool_call>";

fn look(text: &str, native: NativeCalls) -> Leak {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let checker = Checker::compile(&schema.parse().unwrap()).unwrap();
    let check = |_: &str, arguments: &Arguments| {
        checker.check(arguments).map_err(|violations| violations[0].to_string())
    };
    LeakDetector::new([tool("f", schema)]).look(text, native, check)
}

#[track_caller]
fn nudged(text: &str, native: NativeCalls, why: &str) {
    match look(text, native) {
        Leak::Nudge(nudge) => assert!(nudge.contains(why) && nudge.contains('`'), "{nudge}"),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_call_is_taken_if_all_four_conditions_hold() {
    match look(&format!("I call.\n{CALL}"), NativeCalls::None) {
        Leak::Calls(chunks) => assert_eq!(calls(&answer(chunks)).len(), 1),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn each_condition_that_fails_is_named() {
    nudged(CALL, NativeCalls::Some, "proper form");
    nudged(&CALL.replace("\"f\"", "\"g\""), NativeCalls::None, "no tool has this name");
    nudged(&CALL.replace('1', "\"x\""), NativeCalls::None, "/n");
    nudged(&CALL.replace("\"n\": 1", ""), NativeCalls::None, "required");
    nudged(&format!("So:\n```\n{CALL}\n```"), NativeCalls::None, "code");
    nudged(&CALL[..CALL.len() - 20], NativeCalls::None, "incomplete");
}

#[test]
fn prose_is_not_a_leak() {
    for words in ["I call f.", "Use <tool_call> like this.", "```\nlet x = [1];\n```", "{\"n\": 1}", ""] {
        assert_eq!(look(words, NativeCalls::None), Leak::None, "{words}");
        assert_eq!(look(words, NativeCalls::Some), Leak::None, "{words}");
    }
}
