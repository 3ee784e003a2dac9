//! Text of the conversation in spans.

use serde_json::{Value, json};
use windlass_redact::Redactor;
use windlass_telemetry::Content;

use crate::events::{answered, call, completed, decided, ended, options, running, spans, turn};

fn said(text: &str) -> Value {
    json!({"event": "text", "text": text})
}

fn events(secret: &str) -> Vec<Value> {
    let mut call = call("c1", "look");
    call["call"]["payload"]["arguments"] = json!(format!("{{\"path\":\"{secret}\"}}"));
    let mut ended = ended("c1", "error");
    ended["result"]["content"][0]["text"] = json!(format!("no file {secret}"));
    let mut failed = decided("c1", "allow", "a.read");
    failed["decision"]["reason"]["text"] = json!(format!("because of {secret}"));
    let discarded = json!({"event": "attempt_discarded", "reason": format!("gone {secret}"), "delay_ms": 1});
    let before =
        [turn(1), said("void"), discarded, said("I look at "), said(secret), call, answered("calls")];
    [&before[..], &[failed, running("c1"), ended, completed()]].concat()
}

/// SECURITY: "Traces carry hashes and sizes by default, arguments on opt-in".
#[test]
fn spans_contain_no_content_unless_enabled() {
    let all = spans(&options(), &events("planted-word"));
    assert!(!all.words().contains("planted-word"), "{all:?}");
    assert!(!all.words().contains("because"), "{all:?}");
    let all = spans(&options().with_content(Content::Kept), &events("planted-word"));
    let first: f64 = all.one("chat").get("gen_ai.response.time_to_first_chunk").parse().unwrap();
    assert!((0.0..60.0).contains(&first));
    let tool = all.one("execute_tool");
    tool.has(&[
        ("gen_ai.tool.call.arguments", r#"{"path":"planted-word"}"#),
        ("gen_ai.tool.call.result", "[error] no file planted-word"),
    ]);
    let messages: Value = serde_json::from_str(all.one("chat").get("gen_ai.output.messages")).unwrap();
    let called =
        json!({"type": "tool_call", "id": "c1", "name": "look", "arguments": r#"{"path":"planted-word"}"#});
    let text = json!({"type": "text", "content": "I look at planted-word"});
    let expected = json!([{"role": "assistant", "parts": [text, called], "finish_reason": "tool_call"}]);
    assert_eq!(messages, expected);
}

#[test]
fn no_span_holds_a_registered_secret_or_its_digest() {
    let redactor = || Redactor::new(["planted-secret-0001".into()]);
    for content in [Content::LeftOut, Content::Kept] {
        let of = |secret: &str| {
            let options = options().with_content(content).with_redactor(redactor());
            spans(&options.with_agent(format!("agent {secret}")), &events(secret))
        };
        let all = of("planted-secret-0001");
        assert!(!all.words().contains("planted"), "{all:?}");
        // The digest is computed from the redacted text.
        let digest = |secret| of(secret).one("execute_tool").get("windlass.arguments.sha256").to_owned();
        assert_eq!(digest("planted-secret-0001"), digest(Redactor::MARK));
    }
}

#[test]
fn stored_content_is_bounded() {
    let mut all_events = vec![turn(1)];
    all_events.extend(std::iter::repeat_n(said(&"ä".repeat(10_000)), 20));
    all_events.extend(events(&"x".repeat(100_000)).split_off(3));
    let all = spans(&options().with_content(Content::Kept), &all_events);
    assert!(all.words().len() < 600_000, "{}", all.words().len());
    assert_eq!(all.one("execute_tool").get("windlass.arguments.bytes"), "100011");
}
