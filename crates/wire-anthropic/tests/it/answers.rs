//! Answers as bytes.

use serde_json::{Value, json};
use windlass_protocol::{Opaque, Request, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind};
use windlass_wire::{DecodedRequest, Framing, ProviderError, ProviderErrorKind, ResponseHead, Server, Wire};
use windlass_wire_anthropic::Anthropic;

fn call(key: u64, id: &str, pieces: &[&str]) -> Vec<Chunk> {
    let (id, name) = (Some(id.to_owned()), "read".to_owned());
    let mut chunks = vec![Chunk::Call(CallChunk::Start { key: CallKey(key), id, name, opaque: None })];
    let delta =
        |text: &&str| Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: (*text).to_owned() });
    chunks.extend(pieces.iter().map(delta));
    chunks
}

fn end(key: u64) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: None })
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "their_word".into() }
}

fn written(framing: Framing, chunks: &[Chunk]) -> String {
    let asked = DecodedRequest::new(Request::new("m", Vec::new()), framing);
    let mut encoder = Anthropic::default().encoder(&asked, ResponseHead::new("1", "m", 7));
    let mut bytes = Vec::new();
    for chunk in chunks {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Checks the events of a stream, each written as its type, its index and its content.
#[track_caller]
fn check_stream(chunks: &[Chunk], expected: &[&str]) {
    let text = written(Framing::Events, chunks);
    let told: Vec<String> = text
        .split("\n\n")
        .filter(|event| !event.is_empty())
        .map(|event| {
            let (name, data) = event.split_once('\n').unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            let kind = data["type"].as_str().unwrap();
            assert_eq!(name, format!("event: {kind}"));
            let body = ["content_block", "delta", "error"].iter().find_map(|field| data.get(*field));
            let index = data.get("index").map(|index| format!(" {index}")).unwrap_or_default();
            format!("{kind}{index}{}", body.map(|body| format!(" {body}")).unwrap_or_default())
        })
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn text_reasoning_and_calls_are_blocks() {
    let opaque = |value| Some(Opaque::new("anthropic", value));
    let mut chunks = vec![
        Chunk::reasoning("hm"),
        Chunk::ReasoningEnd { opaque: opaque(json!({ "type": "thinking", "signature": "s" })) },
        Chunk::ReasoningEnd { opaque: opaque(json!({ "type": "redacted_thinking", "data": "d" })) },
        Chunk::text("I look."),
    ];
    chunks.extend(call(7, "toolu_a", &["{\"x\"", ":1}"]));
    chunks.push(end(7));
    chunks.extend(call(8, "toolu_b", &[]));
    chunks.extend([end(8), finish(StopReason::Calls)]);
    check_stream(
        &chunks,
        &[
            "message_start",
            r#"content_block_start 0 {"signature":"","thinking":"","type":"thinking"}"#,
            r#"content_block_delta 0 {"thinking":"hm","type":"thinking_delta"}"#,
            r#"content_block_delta 0 {"signature":"s","type":"signature_delta"}"#,
            "content_block_stop 0",
            r#"content_block_start 1 {"data":"d","type":"redacted_thinking"}"#,
            "content_block_stop 1",
            r#"content_block_start 2 {"text":"","type":"text"}"#,
            r#"content_block_delta 2 {"text":"I look.","type":"text_delta"}"#,
            "content_block_stop 2",
            r#"content_block_start 3 {"id":"toolu_a","input":{},"name":"read","type":"tool_use"}"#,
            r#"content_block_delta 3 {"partial_json":"{\"x\"","type":"input_json_delta"}"#,
            r#"content_block_delta 3 {"partial_json":":1}","type":"input_json_delta"}"#,
            "content_block_stop 3",
            r#"content_block_start 4 {"id":"toolu_b","input":{},"name":"read","type":"tool_use"}"#,
            "content_block_stop 4",
            r#"message_delta {"stop_reason":"tool_use","stop_sequence":null}"#,
            "message_stop",
        ],
    );
}

#[test]
fn usage_counts_as_the_api_counts() {
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 4,
        cache_read_tokens: 5,
        cache_write_tokens: 2,
        reasoning_tokens: 1,
    };
    let body = written(Framing::Whole, &[Chunk::text("a"), finish(StopReason::End), Chunk::Usage { usage }]);
    let body: Value = serde_json::from_str(&body).unwrap();
    let counted = json!({
        "input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 4,
        "output_tokens_details": { "thinking_tokens": 1 },
    });
    assert_eq!(body["usage"], counted);
    let start = written(Framing::Events, &[Chunk::Usage { usage }, Chunk::text("a")]);
    assert!(start.contains(r#""input_tokens":3"#), "{start}");
}

#[test]
fn sources_and_server_blocks_have_their_places() {
    let cited = json!({ "type": "char_location", "cited_text": "x" });
    let block = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": { "q": 1 } });
    let foreign = Unknown::new("openai-responses", json!({ "output_item": {} }));
    check_stream(
        &[
            Chunk::Grounding { value: cited },
            Chunk::text("a"),
            Chunk::Grounding { value: json!({ "chunks": [] }) },
            Chunk::Unknown(Unknown::new("anthropic", json!({ "content_block": block }))),
            Chunk::Unknown(foreign),
            finish(StopReason::Pause),
        ],
        &[
            "message_start",
            r#"content_block_start 0 {"text":"","type":"text"}"#,
            r#"content_block_delta 0 {"citation":{"cited_text":"x","type":"char_location"},"type":"citations_delta"}"#,
            r#"content_block_delta 0 {"text":"a","type":"text_delta"}"#,
            "content_block_stop 0",
            r#"content_block_start 1 {"id":"s","input":{},"name":"web_search","type":"server_tool_use"}"#,
            r#"content_block_delta 1 {"partial_json":"{\"q\":1}","type":"input_json_delta"}"#,
            "content_block_stop 1",
            r#"message_delta {"stop_reason":"pause_turn","stop_sequence":null}"#,
            "message_stop",
        ],
    );
}

// S12
#[test]
fn an_error_ends_the_stream_in_the_formats_own_form() {
    let error = StreamError::new(StreamErrorKind::Overloaded, None, "too busy");
    check_stream(
        &[Chunk::Error { error }, Chunk::text("b")],
        &[r#"error {"message":"too busy","type":"overloaded_error"}"#],
    );
}

// S10
#[test]
fn an_answer_that_broke_off_has_no_end() {
    check_stream(
        &call(0, "a", &["{\"x\""]),
        &[
            "message_start",
            r#"content_block_start 0 {"id":"a","input":{},"name":"read","type":"tool_use"}"#,
            r#"content_block_delta 0 {"partial_json":"{\"x\"","type":"input_json_delta"}"#,
        ],
    );
    let body: Value = serde_json::from_str(&written(Framing::Whole, &[Chunk::text("a")])).unwrap();
    assert_eq!(body["type"], "error");
}

// S10
#[test]
fn truncated_tool_input_is_sent_as_a_string() {
    let mut chunks = call(0, "a", &["{\"x\": 12"]);
    chunks.push(finish(StopReason::Length));
    let body: Value = serde_json::from_str(&written(Framing::Whole, &chunks)).unwrap();
    assert_eq!(body["content"][0]["input"], "{\"x\": 12");
}

#[test]
fn a_whole_answer_keeps_the_text_of_arguments() {
    let mut chunks = vec![Chunk::text("a"), Chunk::text("b")];
    chunks.extend(call(0, "toolu_a", &["{\"z\": 1,", "\"a\":2}"]));
    chunks.extend([end(0), finish(StopReason::Calls)]);
    let body = written(Framing::Whole, &chunks);
    assert!(body.contains(r#""input":{"z": 1,"a":2}"#), "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["content"][0], json!({ "type": "text", "text": "ab" }));
    assert_eq!((&body["stop_reason"], &body["role"]), (&json!("tool_use"), &json!("assistant")));
}

#[test]
fn every_stop_reason_has_a_name() {
    let word = |reason: StopReason| {
        let body = written(Framing::Whole, &[finish(reason)]);
        serde_json::from_str::<Value>(&body).unwrap()["stop_reason"].clone()
    };
    assert_eq!(word(StopReason::End), "end_turn");
    assert_eq!(word(StopReason::Length), "max_tokens");
    assert_eq!(word(StopReason::StopSequence), "stop_sequence");
    assert_eq!(word(StopReason::Refusal), "refusal");
    assert_eq!(word(StopReason::ContentFilter), "refusal");
    assert_eq!(word(StopReason::Unknown("odd".into())), "end_turn");
}

#[test]
fn encoded_errors_decode_to_the_same_kind() {
    let kinds = [
        ProviderErrorKind::Authentication,
        ProviderErrorKind::NotFound,
        ProviderErrorKind::Request,
        ProviderErrorKind::ContextLength,
        ProviderErrorKind::RateLimit,
        ProviderErrorKind::Quota,
        ProviderErrorKind::Server,
    ];
    for kind in kinds {
        let wire = Anthropic::default();
        let (status, body) = wire.encode_error(&ProviderError::new(kind, None, "no"));
        let read = wire.decode_error(status, &body);
        assert!(read.kind == kind && read.message.contains("no"), "{read:?}");
    }
}

// Gemini has sent several events that each had a finish reason.
#[test]
fn text_after_an_end_belongs_to_the_answer() {
    let chunks = [Chunk::text("a"), finish(StopReason::End), Chunk::text("b"), finish(StopReason::Length)];
    let stream = written(Framing::Events, &chunks);
    assert_eq!(stream.matches("event: message_delta").count(), 1, "{stream}");
    assert!(stream.contains(r#""text":"b""#) && stream.contains(r#""stop_reason":"max_tokens""#), "{stream}");
    let body: Value = serde_json::from_str(&written(Framing::Whole, &chunks)).unwrap();
    let texts: Vec<&str> =
        body["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(texts.concat(), "ab");
    assert_eq!(body["stop_reason"], "max_tokens");
    let calls = [finish(StopReason::Calls), Chunk::text("b"), finish(StopReason::End)];
    assert!(written(Framing::Events, &calls).contains(r#""stop_reason":"tool_use""#));
}
