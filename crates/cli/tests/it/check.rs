//! Messages that a provider would refuse, and the conversation without them (R3).

use serde_json::{Value, json};

use crate::program::{Place, text};

fn cut() -> Value {
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
    json!({"model": "m", "messages": [
        {"role": "system", "content": "be careful"},
        {"role": "user", "content": "task"},
        {"role": "assistant", "tool_calls": [call("a"), call("b")]},
        {"role": "tool", "tool_call_id": "x", "content": "of a"},
        {"role": "user", "content": "go on"}
    ]})
}

#[test]
fn problems_of_a_request_are_reported_and_repaired() {
    let place = Place::new();
    let cut = cut().to_string();
    let output = place.run_with_input(&["check", "--wire", "openai-chat"], &cut);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for part in [
        "refused: ",
        "the result x has no call of that id, and was assigned to a",
        "the call b had no result",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let output = place.run_with_input(&["check", "--wire", "openai-chat", "--mend"], &cut);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mended = text(&output.stdout);
    assert!(mended.contains("be careful") && mended.contains("of a") && mended.contains("go on"), "{mended}");
    let output = place.run_with_input(&["check", "--wire", "openai-chat"], &mended);
    let told = text(&output.stdout);
    assert!(output.status.success() && told.contains("nothing to refuse and nothing to mend"), "{told}");
}

#[test]
fn input_that_is_not_a_request_is_reported() {
    let output = Place::new().run_with_input(&["check", "--wire", "anthropic"], "[]");
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("no request of anthropic"), "{}", text(&output.stderr));
}
