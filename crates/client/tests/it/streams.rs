//! Differences between vendors in answers, not in requests: none of them needs a quirk.

use windlass_assemble::{AssembleOptions, Assembler};
use windlass_stream::Chunk;

use crate::canned::{Answer, Canned};
use crate::server::{ask, request};

/// The thoughts and the calls of an answer, each call as id and arguments.
#[track_caller]
fn check(vendor: &str, stream: &str, thoughts: &str, calls: &[(&str, &str)]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let canned = Canned::new(vec![Answer::new(200, stream).header("content-type", "text/event-stream")]);
    let (chunks, error) = runtime.block_on(ask(&canned.client(vendor).build().unwrap(), &request()));
    assert!(error.is_none(), "{error:?}");
    let thought =
        |chunk: &Chunk| if let Chunk::Reasoning { text, .. } = chunk { Some(text.clone()) } else { None };
    assert_eq!(chunks.iter().filter_map(thought).collect::<String>(), thoughts, "{vendor}");
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    let got: Vec<(String, String)> =
        answer.good_calls().map(|call| (call.id.to_string(), call.payload.text())).collect();
    let expected: Vec<(String, String)> =
        calls.iter().map(|(id, arguments)| ((*id).to_owned(), (*arguments).to_owned())).collect();
    assert_eq!(got, expected, "{vendor}");
}

// S1, S3, S4: streams of https://github.com/ollama/ollama/issues/15457 and
// https://github.com/continuedev/continue/pull/13235.
#[test]
fn calls_without_ids_and_with_one_index_stay_apart() {
    let calls = [("call_0_0", r#"{"path":"a.txt"}"#), ("call_2", r#"{"path":"b.txt"}"#)];
    check("ollama", include_str!("../data/streams/ollama.sse"), "", &calls);
}

// https://github.com/vercel/ai/issues/5233
#[test]
fn vendor_specific_reasoning_fields_are_parsed() {
    let thoughts = "I have to look.";
    check("groq", include_str!("../data/streams/groq.sse"), thoughts, &[("fc_1", r#"{"path":"a.txt"}"#)]);
    check(
        "mistral",
        include_str!("../data/streams/mistral.sse"),
        thoughts,
        &[("D681PevKs", r#"{"path": "a.txt"}"#)],
    );
}
