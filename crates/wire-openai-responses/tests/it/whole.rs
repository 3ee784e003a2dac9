//! Answers in one body.

use serde_json::{Value, json};
use windlass_protocol::{StopReason, Unknown};
use windlass_stream::{CallChunk, Chunk};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_openai_responses::OpenAiResponses;

fn decode(response: &Value) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let body = response.to_string();
    OpenAiResponses::default().decode_whole(body.as_bytes(), WireLimits::default(), &mut chunks).unwrap();
    chunks
}

fn response(status: &str, output: &Value) -> Value {
    json!({ "object": "response", "status": status, "output": output })
}

#[test]
fn a_whole_body_gives_the_chunks_of_a_stream() {
    let chunks = decode(&response(
        "completed",
        &json!([
            { "type": "reasoning", "id": "rs_1", "encrypted_content": "x", "summary": [{ "text": "Hm." }] },
            { "type": "message", "id": "msg_1", "content": [{ "type": "output_text", "text": "I look." }] },
            { "type": "function_call", "id": "fc_1", "call_id": "a", "name": "read", "arguments": "{}" },
        ]),
    ));
    assert_eq!(chunks[0], Chunk::reasoning("Hm."));
    assert!(matches!(chunks[1], Chunk::ReasoningEnd { opaque: Some(_) }));
    assert_eq!(chunks[2], Chunk::text("I look."));
    assert!(matches!(chunks[3], Chunk::TextEnd { opaque: Some(_) }));
    assert!(matches!(&chunks[4], Chunk::Call(CallChunk::Start { id: Some(id), .. }) if id == "a"));
    assert!(matches!(&chunks[5], Chunk::Call(CallChunk::End { arguments: Some(text), .. }) if text == "{}"));
    assert_eq!(chunks[6], Chunk::Finish { reason: StopReason::Calls, raw: "completed".into() });
}

#[track_caller]
fn check_stop(response: &Value, reason: StopReason, raw: &str) {
    let chunks = decode(response);
    let finish = Chunk::Finish { reason, raw: raw.into() };
    assert!(chunks.contains(&finish), "{chunks:?}");
}

#[test]
fn statuses_are_reasons() {
    check_stop(&response("completed", &json!([])), StopReason::End, "completed");
    check_stop(&response("failed", &json!([])), StopReason::Error, "failed");
    check_stop(&response("cancelled", &json!([])), StopReason::Error, "cancelled");
    check_stop(&response("queued", &json!([])), StopReason::Unknown("queued".into()), "queued");
    for (reason, expected) in [
        (json!({ "reason": "max_output_tokens" }), StopReason::Length),
        (json!({ "reason": "content_filter" }), StopReason::ContentFilter),
        (json!({ "reason": "tired" }), StopReason::Error),
        (json!(null), StopReason::Length),
        (json!(7), StopReason::Length),
    ] {
        let mut response = response("incomplete", &json!([]));
        response["incomplete_details"] = reason;
        check_stop(&response, expected, "incomplete");
    }
    let refusal = json!([{ "type": "message", "content": [{ "type": "refusal", "refusal": "No." }] }]);
    check_stop(&response("completed", &refusal), StopReason::Refusal, "completed");
    let refusal = Unknown::new("openai-responses", json!({ "refusal": "No." }));
    assert_eq!(
        decode(&response(
            "completed",
            &json!([{ "type": "message", "content": [{ "type": "refusal", "refusal": "No." }] }])
        ))[0],
        Chunk::Unknown(refusal)
    );
}

// S10
#[test]
fn a_call_that_was_cut_has_no_end() {
    let call = json!({ "type": "function_call", "call_id": "a", "name": "read", "arguments": "{}" });
    for status in ["incomplete", "failed"] {
        let mut call = call.clone();
        call["status"] = status.into();
        let chunks = decode(&response("completed", &json!([call])));
        assert!(
            !chunks.iter().any(|chunk| matches!(chunk, Chunk::Call(CallChunk::End { .. }))),
            "{chunks:?}"
        );
        assert!(chunks.contains(&Chunk::Finish { reason: StopReason::Length, raw: "completed".into() }));
    }
}

// P3
#[test]
fn unknown_items_are_kept() {
    let item = json!({ "type": "new_call", "id": "new_1", "year": 1999 });
    let part = json!({ "type": "output_smell", "smell": "rain" });
    let message = json!({ "type": "message", "content": [part] });
    let chunks = decode(&response("completed", &json!([item, message, 7])));
    let kept = |value| Chunk::Unknown(Unknown::new("openai-responses", value));
    assert_eq!(chunks[..3], [kept(json!({ "output_item": item })), kept(part), kept(json!(7))]);
}
