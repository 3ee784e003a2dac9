//! Values that real clients send, and values that change an answer.

use serde_json::{Value, json};
use windlass_protocol::{Image, Message, Part, Request};

/// Returns whether a value of a field has an effect, by the rule of its format.
fn has_effect(format: &str, path: &str, value: &Value, request: &Request) -> bool {
    let format = windlass_vendors::WireFormat::find(format).unwrap();
    let rule = format.server.field_rules().iter().find(|rule| rule.field == path).unwrap();
    super::has_effect(rule.effect, value, request)
}

fn request(bytes: usize) -> Request {
    Request::new("m", vec![Message::user("x".repeat(bytes))])
}

#[test]
fn an_edit_of_the_conversation_has_an_effect_from_its_trigger() {
    let edits = |edits: Value| json!({ "edits": edits });
    // Claude Code sends this one.
    let thoughts = edits(json!([{"type": "clear_thinking_20251015", "keep": "all"}]));
    let results = edits(json!([{"type": "clear_tool_uses_20250919"}]));
    let early = edits(
        json!([{"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 50}}]),
    );
    let calls =
        edits(json!([{"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 3}}]));
    let compaction = edits(json!([{"type": "compact_20260112"}]));
    for (value, bytes, expected) in [
        (&thoughts, 1_000_000, false),
        (&results, 1_000, false),
        (&results, 400_000, true),
        (&early, 20, false),
        (&early, 200, true),
        (&calls, 1_000_000, false),
        (&compaction, 400_000, false),
        (&compaction, 700_000, true),
        (&edits(json!([])), 1_000_000, false),
        // OpenAI's form.
        (&json!([{"type": "compaction", "compact_threshold": 100}]), 20, false),
        (&json!([{"type": "compaction", "compact_threshold": 100}]), 1_000, true),
        (&json!([]), 1_000_000, false),
        (&edits(json!([{"type": "new"}])), 10, true),
    ] {
        let format = if value.is_array() { "openai-responses" } else { "anthropic" };
        assert_eq!(
            has_effect(format, "context_management", value, &request(bytes)),
            expected,
            "{value} {bytes}"
        );
    }
}

#[test]
fn filters_that_are_off_and_the_resolution_of_no_picture_have_none() {
    let setting = |threshold: &str| json!([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": threshold}]);
    let gemini = |path: &str, value: &Value, request: &Request| has_effect("gemini", path, value, request);
    for (threshold, expected) in
        [("BLOCK_NONE", false), ("OFF", false), ("BLOCK_ONLY_HIGH", true), ("", true)]
    {
        assert_eq!(gemini("safetySettings", &setting(threshold), &request(1)), expected, "{threshold}");
    }
    let low = json!("MEDIA_RESOLUTION_LOW");
    assert!(!gemini("generationConfig.mediaResolution", &low, &request(1)));
    let mut picture = request(1);
    picture.messages.push(Message::new(
        windlass_protocol::Role::User,
        vec![Part::Image(Image::base64("image/png", "AAAA"))],
    ));
    assert!(gemini("generationConfig.mediaResolution", &low, &picture));
}

#[test]
fn a_region_and_a_payer_have_an_effect_unless_they_are_the_usual_ones() {
    for (format, path, value, expected) in [
        ("anthropic", "inference_geo", json!("global"), false),
        ("anthropic", "inference_geo", json!("us"), true),
        ("anthropic", "billing_policy", json!({"type": "billing_policy", "bill_to": "self"}), false),
        ("anthropic", "billing_policy", json!({"type": "billing_policy"}), false),
        ("anthropic", "billing_policy", json!({"type": "billing_policy", "bill_to": "user_profile"}), true),
        ("openai-responses", "reasoning.mode", json!("standard"), false),
        ("openai-responses", "reasoning.mode", json!("pro"), true),
    ] {
        assert_eq!(has_effect(format, path, &value, &request(1)), expected, "{format} {path} {value}");
    }
}
