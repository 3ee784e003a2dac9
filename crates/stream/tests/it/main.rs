//! Chunks go through JSON and back unchanged, and the conformance kit rejects wrong models.

mod kit;

use serde_json::json;
use windlass_protocol::{Opaque, Payload, StopReason, Unknown, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};

fn chunks() -> Vec<Chunk> {
    let opaque = || Some(Opaque::new("w", json!({ "s": "x" })));
    let error = StreamError::new(StreamErrorKind::Overloaded, Some("529".into()), "busy");
    let mut chunks = vec![
        Chunk::text("a\n\u{1f642}"),
        Chunk::TextEnd { opaque: opaque() },
        Chunk::TextEnd { opaque: None },
        Chunk::reasoning(""),
        Chunk::ReasoningEnd { opaque: opaque() },
        Chunk::ReasoningEnd { opaque: None },
        Chunk::Usage { usage: Usage { input_tokens: 1, cache_read_tokens: 2, ..Usage::default() } },
        Chunk::Grounding { value: json!([{ "url": "u" }]) },
        Chunk::Error { error },
        Chunk::Unknown(Unknown::new("w", json!({ "type": "new" }))),
    ];
    let reasons = [
        StopReason::End,
        StopReason::Calls,
        StopReason::Length,
        StopReason::StopSequence,
        StopReason::ContentFilter,
        StopReason::Refusal,
        StopReason::Pause,
        StopReason::Error,
        StopReason::Unknown("odd".into()),
    ];
    chunks.extend(reasons.map(|reason| Chunk::Finish { reason, raw: "raw".into() }));
    let calls = [
        CallChunk::Partial {
            index: Some(1),
            position: 0,
            id: Some("i".into()),
            name: None,
            arguments: Some("{".into()),
            opaque: None,
        },
        CallChunk::Partial {
            index: None,
            position: 3,
            id: None,
            name: Some("n".into()),
            arguments: None,
            opaque: opaque(),
        },
        CallChunk::Start { key: CallKey(2), id: None, name: "n".into(), opaque: opaque() },
        CallChunk::Delta { key: CallKey(2), arguments: "\"x".into() },
        CallChunk::End { key: CallKey(2), arguments: Some("{}".into()) },
        CallChunk::Whole { id: None, name: "n".into(), body: WholeCall::Arguments("{".into()), opaque: None },
        CallChunk::Whole {
            id: Some("i".into()),
            name: "n".into(),
            body: WholeCall::Payload(Payload::Custom { input: "p".into() }),
            opaque: opaque(),
        },
    ];
    chunks.extend(calls.map(Chunk::Call));
    chunks
}

#[test]
fn every_chunk_survives_json() {
    for chunk in chunks() {
        let text = serde_json::to_string(&chunk).unwrap();
        assert_eq!(serde_json::from_str::<Chunk>(&text).unwrap(), chunk, "{text}");
    }
}

#[test]
fn only_transient_errors_are_retryable() {
    let retryable = |kind| StreamError::new(kind, None, "x").is_retryable();
    assert!(
        retryable(StreamErrorKind::Overloaded)
            && retryable(StreamErrorKind::RateLimit)
            && retryable(StreamErrorKind::Server)
    );
    assert!(
        !retryable(StreamErrorKind::Request)
            && !retryable(StreamErrorKind::Blocked)
            && !retryable(StreamErrorKind::Unknown)
    );
}
