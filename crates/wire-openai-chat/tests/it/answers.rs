//! Answers as bytes.

use serde_json::{Value, json};
use windlass_protocol::{Opaque, Payload, Request, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};
use windlass_wire::{DecodedRequest, Framing, ProviderError, ProviderErrorKind, ResponseHead, Server, Wire};
use windlass_wire_openai_chat::OpenAiChat;

fn start(key: u64, id: &str) -> Chunk {
    let (id, name) = (Some(id.to_owned()), "read".to_owned());
    Chunk::Call(CallChunk::Start { key: CallKey(key), id, name, opaque: None })
}

fn delta(key: u64, text: &str) -> Chunk {
    Chunk::Call(CallChunk::Delta { key: CallKey(key), arguments: text.into() })
}

fn end(key: u64) -> Chunk {
    Chunk::Call(CallChunk::End { key: CallKey(key), arguments: None })
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "their_word".into() }
}

fn written(framing: Framing, options: &Value, chunks: &[Chunk]) -> String {
    let mut request = Request::new("m", Vec::new());
    request.options.extra.insert("stream_options".into(), options.clone());
    let server = OpenAiChat::default();
    let mut encoder = server.encoder(&DecodedRequest::new(request, framing), ResponseHead::new("1", "m", 7));
    let mut bytes = Vec::new();
    for chunk in chunks {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Checks the deltas, finish reasons and usage of a stream, and its end mark.
#[track_caller]
fn check_stream(chunks: &[Chunk], expected: &[Value], is_done: bool) {
    let text = written(Framing::Events, &json!({ "include_usage": true }), chunks);
    let mut events: Vec<&str> = text.split("\n\n").filter(|event| !event.is_empty()).collect();
    assert_eq!(events.last() == Some(&"data: [DONE]"), is_done, "{text}");
    events.retain(|event| *event != "data: [DONE]");
    let told: Vec<Value> = events
        .iter()
        .map(|event| {
            let event: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
            if !event["error"].is_null() {
                return event;
            }
            assert_eq!(
                (&event["id"], &event["object"], &event["created"], &event["model"]),
                (&json!("chatcmpl-1"), &json!("chat.completion.chunk"), &json!(7), &json!("m"))
            );
            match (&event["choices"][0]["finish_reason"], &event["usage"]) {
                (Value::Null, Value::Null) => event["choices"][0]["delta"].clone(),
                (Value::Null, usage) => usage["total_tokens"].clone(),
                (word, _) => word.clone(),
            }
        })
        .collect();
    assert_eq!(told, expected);
}

fn opening() -> Value {
    json!({ "role": "assistant", "content": "", "refusal": null })
}

#[test]
fn text_reasoning_and_calls_are_deltas() {
    let usage = Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() };
    let chunks = [
        Chunk::reasoning("hm"),
        Chunk::ReasoningEnd { opaque: None },
        Chunk::text("I look."),
        start(4, "call_a"),
        delta(4, "{\"x\""),
        start(9, "call_b"),
        delta(4, ":1}"),
        end(4),
        end(9),
        finish(StopReason::Calls),
        Chunk::Usage { usage },
    ];
    let call = |index: usize, id: &str| {
        json!({ "tool_calls": [{
            "index": index, "id": id, "type": "function", "function": { "name": "read", "arguments": "" },
        }] })
    };
    let more = |index: usize, text: &str| json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] });
    let expected = [
        opening(),
        json!({ "reasoning_content": "hm" }),
        json!({ "content": "I look." }),
        call(0, "call_a"),
        more(0, "{\"x\""),
        call(1, "call_b"),
        more(0, ":1}"),
        // Missing arguments become an empty object, because clients parse them.
        more(1, "{}"),
        json!("tool_calls"),
        json!(7),
    ];
    check_stream(&chunks, &expected, true);
}

// Gemini has sent several events that each had a finish reason, and clients stop reading at the first one.
#[test]
fn an_answer_that_continues_after_a_finish_ends_once() {
    let chunks = [
        start(0, "call_a"),
        end(0),
        finish(StopReason::Calls),
        Chunk::text("I look."),
        finish(StopReason::End),
    ];
    let call = json!({ "tool_calls": [{
        "index": 0, "id": "call_a", "type": "function", "function": { "name": "read", "arguments": "" },
    }] });
    let arguments = json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{}" } }] });
    let text = json!({ "content": "I look." });
    check_stream(&chunks, &[opening(), call, arguments, text, json!("tool_calls"), json!(0)], true);
    let body: Value = serde_json::from_str(&written(Framing::Whole, &Value::Null, &chunks)).unwrap();
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    let cut = [Chunk::text("a"), finish(StopReason::End), Chunk::text("b"), finish(StopReason::Length)];
    let text = |text: &str| json!({ "content": text });
    check_stream(&cut, &[opening(), text("a"), text("b"), json!("length"), json!(0)], true);
}

// OpenAI's library refuses a second delta with a list whose entries have no index.
#[test]
fn sources_of_both_formats_are_in_one_delta() {
    let source = json!({ "url": "https://a.example", "title": "A", "start_index": 0, "end_index": 2 });
    let mut flat = source.clone();
    flat["type"] = "url_citation".into();
    let nested = json!({ "type": "url_citation", "url_citation": source });
    let file = json!({ "type": "file_citation", "file_id": "f" });
    let mut chunks = vec![Chunk::text("hi")];
    chunks.extend([&flat, &nested, &file].map(|value| Chunk::Grounding { value: value.clone() }));
    chunks.extend([Chunk::text("."), finish(StopReason::End)]);
    let annotations = json!({ "annotations": [nested, nested] });
    let text = |text: &str| json!({ "content": text });
    check_stream(&chunks, &[opening(), text("hi"), text("."), annotations, json!("stop"), json!(0)], true);
    let body: Value = serde_json::from_str(&written(Framing::Whole, &Value::Null, &chunks)).unwrap();
    assert_eq!(body["choices"][0]["message"]["annotations"], json!([nested, nested]));
}

#[test]
fn usage_is_sent_only_if_requested() {
    let text = written(Framing::Events, &Value::Null, &[Chunk::text("a"), finish(StopReason::End)]);
    assert!(!text.contains("usage"), "{text}");
}

// S12
#[test]
fn an_error_ends_the_stream_in_the_formats_own_form() {
    let error = StreamError::new(StreamErrorKind::Overloaded, None, "too busy");
    let chunks = [Chunk::text("a"), Chunk::Error { error }, Chunk::text("b")];
    let error = json!({ "error": {
        "message": "too busy", "type": "overloaded_error", "param": null, "code": "overloaded",
    } });
    check_stream(&chunks, &[opening(), json!({ "content": "a" }), error], false);
}

// S10
#[test]
fn an_answer_that_broke_off_has_no_end() {
    check_stream(&[Chunk::text("a")], &[opening(), json!({ "content": "a" })], false);
    let body: Value =
        serde_json::from_str(&written(Framing::Whole, &Value::Null, &[Chunk::text("a")])).unwrap();
    assert_eq!(body["choices"][0]["finish_reason"], "error");
}

#[test]
fn a_refusal_and_free_text_have_their_places() {
    let refusal = Chunk::Unknown(Unknown::new("openai-chat", json!({ "refusal": "no" })));
    let custom = CallChunk::Whole {
        id: Some("c".into()),
        name: "patch".into(),
        body: WholeCall::Payload(Payload::Custom { input: "*** x".into() }),
        opaque: None,
    };
    let call =
        json!({ "index": 0, "id": "c", "type": "custom", "custom": { "name": "patch", "input": "*** x" } });
    check_stream(
        &[refusal, Chunk::Call(custom), finish(StopReason::Refusal)],
        &[opening(), json!({ "refusal": "no" }), json!({ "tool_calls": [call] }), json!("stop"), json!(0)],
        true,
    );
}

#[test]
fn every_stop_reason_has_a_name() {
    let word = |reason: StopReason| {
        let body = written(Framing::Whole, &Value::Null, &[finish(reason)]);
        serde_json::from_str::<Value>(&body).unwrap()["choices"][0]["finish_reason"].clone()
    };
    assert_eq!(word(StopReason::End), "stop");
    assert_eq!(word(StopReason::Calls), "tool_calls");
    assert_eq!(word(StopReason::Length), "length");
    assert_eq!(word(StopReason::ContentFilter), "content_filter");
    assert_eq!(word(StopReason::Refusal), "content_filter");
    assert_eq!(word(StopReason::Pause), "stop");
    assert_eq!(word(StopReason::Unknown("odd".into())), "stop");
}

// P2
#[test]
fn a_whole_answer_contains_text_reasoning_and_calls() {
    let details = json!([{ "type": "reasoning.encrypted", "data": "x" }]);
    let opaque = Opaque::new("openai-chat", json!({ "field": "reasoning", "reasoning_details": details }));
    let chunks = [
        Chunk::reasoning("hm"),
        Chunk::ReasoningEnd { opaque: Some(opaque) },
        Chunk::text("a"),
        Chunk::text("b"),
        start(0, "call_a"),
        delta(0, "{\"z\":1,"),
        delta(0, "\"a\":2}"),
        end(0),
        finish(StopReason::Calls),
    ];
    let body: Value = serde_json::from_str(&written(Framing::Whole, &Value::Null, &chunks)).unwrap();
    let message = json!({
        "role": "assistant", "content": "ab", "refusal": null, "reasoning": "hm", "reasoning_details": details,
        "tool_calls": [{
            "id": "call_a", "type": "function", "function": { "name": "read", "arguments": "{\"z\":1,\"a\":2}" },
        }],
    });
    assert_eq!(body["choices"][0]["message"], message);
    assert_eq!((&body["object"], &body["id"]), (&json!("chat.completion"), &json!("chatcmpl-1")));
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
        let wire = OpenAiChat::default();
        let (status, body) =
            wire.encode_error(&ProviderError::new(kind, None, "no").with_parameter(Some("p".into())));
        let read = wire.decode_error(status, &body);
        assert_eq!((read.kind, read.message.as_str(), read.parameter.as_deref()), (kind, "no", Some("p")));
    }
}
