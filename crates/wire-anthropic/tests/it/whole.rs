//! Answers in one body.

use serde_json::json;
use windlass_protocol::StopReason;
use windlass_stream::Chunk;
use windlass_wire::{DecodeError, Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;

fn decode(body: &serde_json::Value) -> Result<Vec<Chunk>, DecodeError> {
    let mut chunks = Vec::new();
    Anthropic::default().decode_whole(body.to_string().as_bytes(), WireLimits::default(), &mut chunks)?;
    Ok(chunks)
}

#[test]
fn a_whole_body_gives_the_chunks_of_a_stream() {
    let body = json!({
        "type": "message",
        "content": [{ "type": "text", "text": "Hi" }, { "type": "server_tool_use", "id": "s", "input": {} }],
        "stop_reason": "pause_turn",
        "usage": { "input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens": 3 },
    });
    let chunks = decode(&body).unwrap();
    assert_eq!(chunks[..2], [Chunk::text("Hi"), Chunk::TextEnd { opaque: None }]);
    assert!(matches!(&chunks[2], Chunk::HostedCall(call) if call.id == "s"));
    assert!(matches!(&chunks[3], Chunk::Unknown(unknown) if unknown.value["content_block"]["id"] == "s"));
    assert_eq!(chunks[4], Chunk::Finish { reason: StopReason::Pause, raw: "pause_turn".into() });
    assert!(
        matches!(&chunks[5], Chunk::Usage { usage } if usage.input_tokens == 3 && usage.output_tokens == 3)
    );
}

#[test]
fn a_body_of_another_format_is_refused() {
    assert!(matches!(
        decode(&json!({ "object": "thread.message", "content": [] })),
        Err(DecodeError::Shape { .. })
    ));
    assert!(matches!(decode(&json!({ "type": "message" })), Err(DecodeError::Shape { .. })));
    assert!(matches!(decode(&json!({ "type": "message", "content": 7 })), Err(DecodeError::Shape { .. })));
}

#[test]
fn an_error_in_a_good_status_is_an_error_chunk() {
    let body = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    assert!(matches!(&decode(&body).unwrap()[..], [Chunk::Error { error }] if error.is_retryable()));
}

// P3
#[test]
fn a_lone_surrogate_in_a_block_is_replaced() {
    let body =
        br#"{"type":"message","content":[{"type":"text","text":"a\ud83d b"}],"stop_reason":"end_turn"}"#;
    let mut chunks = Vec::new();
    Anthropic::default().decode_whole(body, WireLimits::default(), &mut chunks).unwrap();
    assert_eq!(chunks[0], Chunk::text("a\u{fffd} b"));
    // In a stream the start of the block is stored as text and parsed later.
    let stream = concat!(
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a\ud83d b"}}"#,
        "\n\n",
        r#"data: {"type":"message_stop"}"#,
        "\n\n"
    );
    let (wire, mut chunks) = (Anthropic::default(), Vec::new());
    let mut decoder = wire.decoder(WireLimits::default());
    decoder.push(stream.as_bytes(), &mut chunks).unwrap();
    decoder.finish(&mut chunks).unwrap();
    assert_eq!(chunks[0], Chunk::text("a\u{fffd} b"));
}
