//! Answers in one body.

use serde_json::json;
use windlass_protocol::{Payload, StopReason, Unknown};
use windlass_stream::{CallChunk, Chunk, WholeCall};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_openai_chat::OpenAiChat;

fn decode(message: &serde_json::Value, finish: &str) -> Vec<Chunk> {
    let body =
        json!({ "choices": [{ "index": 0, "message": message, "finish_reason": finish }] }).to_string();
    let mut chunks = Vec::new();
    OpenAiChat::default().decode_whole(body.as_bytes(), WireLimits::default(), &mut chunks).unwrap();
    chunks
}

#[test]
fn a_whole_body_gives_the_chunks_of_a_stream() {
    let chunks = decode(
        &json!({
            "content": "I look.",
            "reasoning_content": "I think",
            "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "read", "arguments": "{}" } }],
        }),
        "tool_calls",
    );
    assert_eq!(chunks[0], Chunk::reasoning("I think"));
    assert!(matches!(chunks[1], Chunk::ReasoningEnd { opaque: Some(_) }));
    assert_eq!(chunks[2], Chunk::text("I look."));
    assert!(matches!(&chunks[3], Chunk::Call(CallChunk::Partial { id: Some(id), .. }) if id == "a"));
    assert_eq!(chunks[4], Chunk::Finish { reason: StopReason::Calls, raw: "tool_calls".into() });
}

// xAI: 12 + 2 + 340 = 354, where OpenAI's completion tokens contain those of the reasoning.
#[test]
fn reasoning_that_only_the_total_counts_is_output() {
    let output = |total: u64| {
        let body = json!({
            "choices": [{ "index": 0, "message": { "content": "hi" }, "finish_reason": "stop" }],
            "usage": {
                "prompt_tokens": 12, "completion_tokens": 402, "total_tokens": total,
                "completion_tokens_details": { "reasoning_tokens": 340 },
            },
        });
        let mut chunks = Vec::new();
        let body = body.to_string();
        OpenAiChat::default().decode_whole(body.as_bytes(), WireLimits::default(), &mut chunks).unwrap();
        chunks.iter().find_map(|chunk| match chunk {
            Chunk::Usage { usage } => Some((usage.output_tokens, usage.reasoning_tokens)),
            _ => None,
        })
    };
    assert_eq!(output(414), Some((402, 340)));
    assert_eq!(output(754), Some((742, 340)));
    assert_eq!(output(0), Some((402, 340)));
}

#[test]
fn a_freeform_call_is_one_whole_chunk() {
    let call = json!({ "id": "a", "type": "custom", "custom": { "name": "patch", "input": "*** Begin" } });
    let chunks = decode(&json!({ "content": null, "tool_calls": [call] }), "tool_calls");
    let body = WholeCall::Payload(Payload::Custom { input: "*** Begin".into() });
    let whole = CallChunk::Whole { id: Some("a".into()), name: "patch".into(), body, opaque: None };
    assert_eq!(chunks[0], Chunk::Call(whole));
}

#[test]
fn a_refusal_is_kept_and_named() {
    let chunks = decode(&json!({ "content": null, "refusal": "No." }), "stop");
    assert_eq!(chunks[0], Chunk::Unknown(Unknown::new("openai-chat", json!({ "refusal": "No." }))));
    assert_eq!(chunks[1], Chunk::Finish { reason: StopReason::Refusal, raw: "stop".into() });
}
