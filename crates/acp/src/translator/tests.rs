//! Tests of the updates.

use std::path::Path;

use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;

use super::Translator;

fn translate(translator: &mut Translator, events: &Value) -> Vec<Value> {
    let mut updates = Vec::new();
    for event in events.as_array().unwrap() {
        let mut whole = json!({"seq": 1, "session": "s", "run": "r", "at_ms": 0});
        whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        let event: FeedEvent = serde_json::from_value(whole).unwrap();
        updates.extend(translator.translate(&event));
    }
    updates
}

fn texts(updates: &[Value]) -> String {
    updates.iter().filter_map(|update| update["content"]["text"].as_str()).collect()
}

#[test]
fn a_streamed_text_is_sent_once() {
    let mut live = Translator::live(Path::new("/p"), "");
    let updates = translate(
        &mut live,
        &json!([
            {"kind": "text_delta", "turn": 1, "index": 0, "offset": 0, "text": "On"},
            {"kind": "text_delta", "turn": 1, "index": 0, "offset": 2, "text": "e"},
            {"kind": "text_delta", "turn": 1, "index": 0, "offset": 0, "text": "One, "},
            {"kind": "text", "turn": 1, "text": "One, two"},
            {"kind": "text", "turn": 1, "text": " three"},
            {"kind": "turn_ended", "turn": 1, "usage": {}, "total": {}},
            {"kind": "text_delta", "turn": 2, "index": 0, "offset": 0, "text": " four"},
        ]),
    );
    assert_eq!(texts(&updates), "One, two three four");
}

#[test]
fn a_message_of_another_window_is_shown_and_the_own_prompt_is_not() {
    let events = json!([
        {"kind": "message", "text": "mine", "source": "person"},
        {"kind": "message", "text": "theirs", "source": "person"},
        {"kind": "message", "text": "use a tool", "source": "program"},
    ]);
    assert_eq!(texts(&translate(&mut Translator::live(Path::new("/p"), "mine\n"), &events)), "theirs");
    assert_eq!(texts(&translate(&mut Translator::replay(Path::new("/p")), &events)), "minetheirs");
}

#[test]
fn the_diff_of_a_turn_reaches_the_call_that_made_it() {
    let mut live = Translator::live(Path::new("/p"), "");
    let updates = translate(
        &mut live,
        &json!([
            {"kind": "call", "turn": 1, "call": "c1", "tool": "edit_file", "arguments": {"path": "a.txt"}},
            {"kind": "turn_ended", "turn": 1, "usage": {}, "total": {}},
            {"kind": "call_running", "call": "c1"},
            {"kind": "result", "call": "c1", "status": "ok", "text": "done"},
            {"kind": "turn_diff", "turn": 1, "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n"},
        ]),
    );
    let kinds: Vec<&str> = updates.iter().filter_map(|update| update["sessionUpdate"].as_str()).collect();
    assert_eq!(kinds, ["tool_call", "tool_call_update", "tool_call_update", "tool_call_update"]);
    assert_eq!(updates[0]["locations"], json!([{"path": "/p/a.txt"}]));
    assert_eq!(updates[2]["status"], "completed");
    let diff = json!({"type": "diff", "path": "/p/a.txt", "oldText": "x\n", "newText": "y\n"});
    assert_eq!(updates[3]["content"][0], diff);
}

#[test]
fn the_output_of_a_call_is_bounded() {
    let mut live = Translator::live(Path::new("/p"), "");
    translate(&mut live, &json!([{"kind": "call_started", "call": "c", "tool": "run_command"}]));
    let piece = "é".repeat(1_500);
    let mut largest = 0;
    for _ in 0..20 {
        let updates = translate(&mut live, &json!([{"kind": "call_output", "call": "c", "text": piece}]));
        largest = largest.max(updates[0].to_string().len());
    }
    assert!(largest < 6_000, "{largest}");
}
