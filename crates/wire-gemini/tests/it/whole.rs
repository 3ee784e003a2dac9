//! Answers in one body.

use serde_json::{Value, json};
use windlass_protocol::StopReason;
use windlass_stream::{Chunk, StreamErrorKind};
use windlass_wire::{DecodeError, Wire, WireLimits};
use windlass_wire_gemini::Gemini;

fn decode(body: &Value) -> Result<Vec<Chunk>, DecodeError> {
    let mut chunks = Vec::new();
    Gemini::default().decode_whole(body.to_string().as_bytes(), WireLimits::default(), &mut chunks)?;
    Ok(chunks)
}

#[test]
fn a_whole_body_gives_the_chunks_of_a_stream() {
    let candidate = json!({ "content": { "parts": [{ "text": "Hi" }] }, "finishReason": "MAX_TOKENS" });
    let usage = json!({ "promptTokenCount": 1, "thoughtsTokenCount": 2 });
    let chunks = decode(&json!({ "candidates": [candidate], "usageMetadata": usage })).unwrap();
    assert_eq!(chunks[0], Chunk::text("Hi"));
    assert_eq!(chunks[1], Chunk::Finish { reason: StopReason::Length, raw: "MAX_TOKENS".into() });
    assert!(matches!(&chunks[2], Chunk::Usage { usage } if usage.output_tokens == 2));
}

#[test]
fn a_whole_body_without_a_finish_reason_still_finishes() {
    let ended = Chunk::Finish { reason: StopReason::End, raw: String::new() };
    let text = json!([{ "content": { "parts": [{ "text": "Hi" }] } }]);
    assert_eq!(decode(&json!({ "candidates": text })).unwrap(), [Chunk::text("Hi"), ended.clone()]);
    assert_eq!(decode(&json!({ "candidates": [] })).unwrap(), [ended]);
}

#[test]
fn the_events_of_a_stream_in_a_list_are_read_as_one() {
    let text = |text| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] });
    assert_eq!(decode(&json!([text("Hi"), text("!")])).unwrap(), [Chunk::text("Hi"), Chunk::text("!")]);
}

// S12
#[test]
fn a_refused_prompt_ends_only_with_an_error() {
    let body = json!({ "promptFeedback": { "blockReason": "SAFETY", "blockReasonMessage": "no" } });
    let blocked = |chunk: &Chunk| matches!(chunk, Chunk::Error { error } if error.kind == StreamErrorKind::Blocked && error.message == "no");
    assert!(matches!(&decode(&body).unwrap()[..], [chunk] if blocked(chunk)));
    let body = json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "overloaded" } });
    assert!(matches!(&decode(&body).unwrap()[..], [Chunk::Error { error }] if error.is_retryable()));
    let feedback = json!({ "safetyRatings": [], "blockReason": "BLOCK_REASON_UNSPECIFIED" });
    assert!(matches!(&decode(&json!({ "promptFeedback": feedback })).unwrap()[..], [Chunk::Finish { .. }]));
}

#[test]
fn a_body_of_another_format_is_refused() {
    assert!(matches!(decode(&json!({ "object": "chat.completion" })), Err(DecodeError::Shape { .. })));
    assert!(matches!(decode(&json!({ "candidates": 7 })), Err(DecodeError::Shape { .. })));
    // An empty list was possibly cut.
    assert!(matches!(decode(&json!([])), Err(DecodeError::NotJson { .. })));
    assert!(matches!(decode(&json!(["words"])), Err(DecodeError::Shape { .. })));
    assert!(matches!(decode(&json!("words")), Err(DecodeError::Shape { .. })));
}

#[track_caller]
fn check_stop(raw: &str, expected: &StopReason) {
    let chunks = decode(&json!({ "candidates": [{ "finishReason": raw }] })).unwrap();
    assert!(matches!(&chunks[..], [Chunk::Finish { reason, raw: met }] if reason == expected && met == raw));
}

#[test]
fn documented_finish_reasons_are_mapped() {
    check_stop("STOP", &StopReason::End);
    check_stop("MAX_TOKENS", &StopReason::Length);
    for raw in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"]
    {
        check_stop(raw, &StopReason::ContentFilter);
    }
    for raw in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"] {
        check_stop(raw, &StopReason::Error);
    }
    check_stop("OTHER", &StopReason::Unknown("OTHER".into()));
}
