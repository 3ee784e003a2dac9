//! The features of answers, each with its chunks and the check that finds it.

use serde_json::{Value, json};
use windlass_assemble::Answer;
use windlass_protocol::{Part, Payload, StopReason, Usage};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};

/// A feature of an answer: its chunks, and the check that finds it.
pub(super) struct Said {
    pub(super) name: &'static str,
    pub(super) chunks: fn() -> Vec<Chunk>,
    pub(super) see: fn(&Answer) -> Value,
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { raw: format!("{reason:?}"), reason }
}

fn call_chunks(key: u64, id: &str, path: &str) -> [Chunk; 3] {
    let (key, id) = (CallKey(key), Some(id.to_owned()));
    [
        Chunk::Call(CallChunk::Start { key, id, name: "read".into(), opaque: None }),
        Chunk::Call(CallChunk::Delta { key, arguments: json!({ "path": path }).to_string() }),
        Chunk::Call(CallChunk::End { key, arguments: None }),
    ]
}

fn answer_calls(answer: &Answer) -> Value {
    let calls = answer.good_calls();
    calls.map(|call| json!([call.id.as_str(), call.name.as_str(), call.payload.text()])).collect()
}

fn stop(answer: &Answer) -> Value {
    json!(answer.stop)
}

pub(super) const ANSWERS: &[Said] = &[
    Said {
        name: "words",
        chunks: || vec![Chunk::text("é🦀 "), Chunk::text("\"q\"\n"), finish(StopReason::End)],
        see: |answer| json!([answer.text(), answer.stop]),
    },
    Said {
        name: "call",
        chunks: || {
            let mut chunks = vec![Chunk::text("I look.")];
            chunks.extend(call_chunks(0, "call_1", "a"));
            chunks.push(finish(StopReason::Calls));
            chunks
        },
        see: |answer| json!([answer_calls(answer), answer.text()]),
    },
    Said {
        name: "stop: calls",
        chunks: || {
            let mut chunks = call_chunks(0, "call_1", "a").to_vec();
            chunks.push(finish(StopReason::Calls));
            chunks
        },
        see: stop,
    },
    Said {
        name: "parallel calls in order",
        chunks: || {
            let mut chunks = call_chunks(0, "call_1", "a").to_vec();
            chunks.extend(call_chunks(1, "call_2", "b"));
            chunks.push(finish(StopReason::Calls));
            chunks
        },
        see: answer_calls,
    },
    Said {
        name: "calls of both kinds in order",
        chunks: || {
            let patch = |id: &str| {
                let body = WholeCall::Payload(Payload::Custom { input: "*** x".into() });
                let id = Some(id.to_owned());
                Chunk::Call(CallChunk::Whole { id, name: "patch".into(), body, opaque: None })
            };
            let mut chunks = vec![patch("call_1")];
            chunks.extend(call_chunks(1, "call_2", "a"));
            chunks.push(patch("call_3"));
            chunks.extend(call_chunks(3, "call_4", "b"));
            chunks.push(finish(StopReason::Calls));
            chunks
        },
        see: |answer| answer.good_calls().map(|call| call.name.as_str()).collect(),
    },
    Said {
        name: "thoughts",
        chunks: || {
            let end = Chunk::ReasoningEnd { opaque: None };
            vec![Chunk::reasoning("Let me see."), end, Chunk::text("Yes."), finish(StopReason::End)]
        },
        see: |answer| {
            let thoughts = answer.parts.iter().filter_map(|part| match part {
                Part::Reasoning(reasoning) => Some(reasoning.text.clone()),
                _ => None,
            });
            thoughts.collect::<String>().into()
        },
    },
    Said {
        name: "usage",
        chunks: || {
            let mut usage = Usage::default();
            (usage.input_tokens, usage.output_tokens) = (11, 7);
            vec![Chunk::text("Yes."), Chunk::Usage { usage }, finish(StopReason::End)]
        },
        see: |answer| json!([answer.usage.input_tokens, answer.usage.output_tokens]),
    },
    Said {
        name: "stop: the limit of tokens",
        chunks: || vec![Chunk::text("Yes"), finish(StopReason::Length)],
        see: stop,
    },
    Said {
        name: "stop: refused",
        chunks: || vec![Chunk::text("No."), finish(StopReason::Refusal)],
        see: stop,
    },
    Said {
        name: "stop: a filter",
        chunks: || vec![Chunk::text("No"), finish(StopReason::ContentFilter)],
        see: stop,
    },
    Said {
        name: "an error in the middle",
        chunks: || {
            let error = StreamError::new(StreamErrorKind::Overloaded, None, "too busy");
            vec![Chunk::text("Ye"), Chunk::Error { error }]
        },
        see: |answer| {
            let error = answer.error.as_ref();
            json!(error.map(|error| error.message.contains("too busy")))
        },
    },
    Said {
        name: "a call that was cut is none",
        chunks: || {
            let [start, ..] = call_chunks(0, "call_1", "a");
            let cut = CallChunk::Delta { key: CallKey(0), arguments: r#"{"path":"a"#.into() };
            vec![start, Chunk::Call(cut), finish(StopReason::Length)]
        },
        see: |answer| json!([answer_calls(answer), answer.stop]),
    },
];
