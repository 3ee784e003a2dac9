//! Calls in one form, for every order of chunks from a provider.

use windlass_assemble::{AssembleOptions, Assembler, Normalizer};
use windlass_protocol::{Opaque, Payload, StopReason};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};

fn partial(index: u64, id: Option<&str>, name: Option<&str>, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Partial {
        index: Some(index),
        position: 0,
        id: id.map(Into::into),
        name: name.map(Into::into),
        arguments: Some(arguments.into()),
        opaque: None,
    })
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "end".into() }
}

fn whole(id: Option<&str>, opaque: Option<Opaque>) -> Chunk {
    let body = WholeCall::Arguments(r#"{"a":1}"#.into());
    Chunk::Call(CallChunk::Whole { id: id.map(Into::into), name: "list".into(), body, opaque })
}

/// The chunks that the normalizer emits, a word for each chunk; the answer equals the answer without a
/// normalizer.
#[track_caller]
fn check(chunks: &[Chunk], expected: &str) {
    let options = AssembleOptions::default().with_turn(2);
    let (mut normalizer, mut normal) = (Normalizer::new(options.clone()), Vec::new());
    for chunk in chunks {
        normalizer.push(chunk.clone(), &mut normal);
    }
    normalizer.finish(&mut normal);
    let words: Vec<String> = normal.iter().map(word).collect();
    assert_eq!(words.join(" "), expected);
    assert_eq!(answer(&normal, &options), answer(chunks, &options));
}

fn word(chunk: &Chunk) -> String {
    match chunk {
        Chunk::Call(CallChunk::Start { key, id, opaque, .. }) => {
            let mark = if opaque.is_some() { "!" } else { "" };
            format!("start{}:{}{mark}", key.0, id.as_deref().unwrap_or("?"))
        }
        Chunk::Call(CallChunk::Delta { key, arguments }) => format!("{}:{arguments}", key.0),
        Chunk::Call(CallChunk::End { key, arguments: None }) => format!("end{}", key.0),
        Chunk::Call(CallChunk::Whole { id, .. }) => format!("whole:{}", id.as_deref().unwrap_or("?")),
        Chunk::Finish { .. } => "finish".to_owned(),
        Chunk::Text { text } => text.clone(),
        other => format!("{other:?}"),
    }
}

fn answer(chunks: &[Chunk], options: &AssembleOptions) -> serde_json::Value {
    let (mut assembler, mut events) = (Assembler::new(options.clone()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk.clone(), &mut events);
    }
    let answer = assembler.finish(&mut events);
    let calls: Vec<_> = answer.good_calls().collect();
    serde_json::json!([answer.parts, calls])
}

// S2, S3, S4
#[test]
fn fragments_become_calls_with_a_beginning_and_an_end() {
    check(
        &[
            partial(0, Some("a"), Some("list"), ""),
            partial(0, None, None, "{}"),
            partial(1, Some("b"), Some("list"), r#"{"x""#),
            partial(1, None, None, ":1}"),
            finish(StopReason::Calls),
        ],
        r#"start0:a 0:{} start1:b 1:{"x" 1::1} end0 end1 finish"#,
    );
}

// S4, P1
#[test]
fn a_call_without_an_id_waits_until_it_has_one() {
    check(
        &[
            Chunk::text("I"),
            partial(0, None, Some("list"), "{"),
            partial(0, None, None, "}"),
            finish(StopReason::Calls),
        ],
        "I start0:call_2_0 0:{} end0 finish",
    );
    check(&[whole(None, None), finish(StopReason::Calls)], r#"start0:call_2_0 0:{"a":1} end0 finish"#);
}

// S9
#[test]
fn an_end_with_calls_becomes_the_stop_reason_calls() {
    let reason = |chunks: &[Chunk]| {
        let (mut normalizer, mut normal) = (Normalizer::new(AssembleOptions::default()), Vec::new());
        for chunk in chunks {
            normalizer.push(chunk.clone(), &mut normal);
        }
        match normal.pop() {
            Some(Chunk::Finish { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(reason(&[whole(None, None), finish(StopReason::End)]), StopReason::Calls);
    assert_eq!(reason(&[Chunk::text("hi"), finish(StopReason::End)]), StopReason::End);
    assert_eq!(reason(&[whole(None, None), finish(StopReason::Length)]), StopReason::Length);
}

// P2
#[test]
fn opaque_data_of_a_call_stays_with_the_call() {
    let opaque = Some(Opaque::new("gemini", serde_json::json!({ "thoughtSignature": "c2ln" })));
    check(&[whole(Some("a"), opaque), finish(StopReason::Calls)], r#"start0:a! 0:{"a":1} end0 finish"#);
}

// S10
#[test]
fn a_call_that_was_cut_has_no_end() {
    check(&[partial(0, Some("a"), Some("list"), "{"), finish(StopReason::Length)], "start0:a 0:{ finish");
    check(&[partial(0, Some("a"), Some("list"), "{")], "start0:a 0:{");
    // The arguments are complete and invalid; the reader reports that.
    check(
        &[partial(0, Some("a"), Some("list"), "{]"), finish(StopReason::Calls)],
        "start0:a 0:{] end0 finish",
    );
}

#[test]
fn a_payload_of_another_form_is_not_split() {
    let body = WholeCall::Payload(Payload::Custom { input: "free text".into() });
    let call = CallChunk::Whole { id: Some("a".into()), name: "patch".into(), body, opaque: None };
    check(&[Chunk::Call(call), finish(StopReason::Calls)], "whole:a finish");
    let key = CallKey(7);
    let marked = [
        Chunk::Call(CallChunk::Start { key, id: Some("a".into()), name: "list".into(), opaque: None }),
        Chunk::Call(CallChunk::End { key, arguments: Some(r#"{"late":true}"#.into()) }),
        finish(StopReason::Calls),
    ];
    check(&marked, r#"start0:a 0:{"late":true} end0 finish"#);
}

#[test]
fn chunks_of_an_earlier_response_are_not_touched() {
    let body = WholeCall::Payload(Payload::Custom { input: "free text".into() });
    let call = CallChunk::Whole { id: Some("a".into()), name: "patch".into(), body, opaque: None };
    let earlier = start(0, "b", "list");
    let mut chunks = vec![earlier.clone()];
    Normalizer::new(AssembleOptions::default()).push(Chunk::Call(call), &mut chunks);
    assert_eq!(chunks.first(), Some(&earlier));
    assert_eq!(chunks.len(), 2, "{chunks:?}");
}

fn start(key: u64, id: &str, name: &str) -> Chunk {
    Chunk::Call(CallChunk::Start { key: CallKey(key), id: Some(id.into()), name: name.into(), opaque: None })
}
