//! The decoders of the wires return the content of a script unchanged, and scripts with typing errors are refused.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use serde_json::json;
use windlass_mock::{Script, ScriptedModel};
use windlass_protocol::{Delivery, Message, Request};
use windlass_stream::{CallChunk, Chunk, Model, ModelError, ModelErrorKind, WholeCall};
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

const ARGUMENTS: &str = r#"{"path":"häuser/🏠.txt","also":[1,2]}"#;

fn wires() -> [Arc<dyn Wire>; 4] {
    [
        Arc::new(OpenAiChat::default()),
        Arc::new(OpenAiResponses::default()),
        Arc::new(Anthropic::default()),
        Arc::new(Gemini::default()),
    ]
}

fn request() -> Request {
    Request::new("scripted-1", vec![Message::user("go")]).with_max_output_tokens(100)
}

fn script(piece: usize, hostile: &serde_json::Value) -> Script {
    let hostile = if hostile.is_null() { String::new() } else { format!(r#","hostile":{hostile}"#) };
    Script::parse(&format!(
        r#"{{"turns":[{{"piece":{piece},"usage":{{"input":11,"output":7}}{hostile},"steps":[
            {{"reasoning":"I think 🏠."}},{{"text":"I look, häuser."}},
            {{"call":{{"name":"read_file","arguments":{ARGUMENTS}}}}},
            {{"call":{{"name":"run","arguments":"{{\"cut","id":"mine"}}}}]}}]}}"#
    ))
    .unwrap()
}

/// Polls a stream to its end. Returns early if the stream stays pending.
fn answer(model: &ScriptedModel, request: &Request) -> Result<(Vec<Chunk>, Option<ModelError>), ModelError> {
    let mut context = Context::from_waker(Waker::noop());
    let mut begun = model.stream(request);
    let mut stream = match Pin::new(&mut begun).as_mut().poll(&mut context) {
        Poll::Ready(answer) => answer?,
        Poll::Pending => return Err(ModelError::new(ModelErrorKind::Idle, "it never begins")),
    };
    let mut chunks = Vec::new();
    loop {
        match Stream::poll_next(stream.as_mut(), &mut context) {
            Poll::Ready(Some(Ok(chunk))) => chunks.push(chunk),
            Poll::Ready(Some(Err(error))) => return Ok((chunks, Some(error))),
            Poll::Ready(None) | Poll::Pending => return Ok((chunks, None)),
        }
    }
}

/// Thoughts, words, ids with names, and the arguments of all calls in a row.
fn said(chunks: &[Chunk]) -> [String; 4] {
    let [mut thoughts, mut words, mut calls, mut inputs] = [const { String::new() }; 4];
    for chunk in chunks {
        match chunk {
            Chunk::Reasoning { text } => thoughts.push_str(text),
            Chunk::Text { text } => words.push_str(text),
            Chunk::Call(CallChunk::Partial { id, name, arguments, .. }) => {
                calls.extend(id.iter().zip(name).map(|(id, name)| format!("{id}:{name} ")));
                inputs.push_str(arguments.as_deref().unwrap_or_default());
            }
            Chunk::Call(CallChunk::Start { id: Some(id), name, .. }) => calls.extend([id, ":", name, " "]),
            Chunk::Call(CallChunk::Delta { arguments, .. }) => inputs.push_str(arguments),
            Chunk::Call(CallChunk::Whole { id, name, body: WholeCall::Arguments(text), .. }) => {
                calls.extend([id.as_deref().unwrap_or_default(), ":", name, " "]);
                inputs.push_str(text);
            }
            _ => {}
        }
    }
    [thoughts, words, calls, inputs]
}

#[track_caller]
fn check(wire: &Arc<dyn Wire>, piece: usize, cuts: Option<u64>) {
    let mut model = ScriptedModel::new(script(piece, &json!(null)), Arc::clone(wire));
    if let Some(seed) = cuts {
        model = model.with_cuts(seed, 9);
    }
    let (chunks, error) = answer(&model, &request()).unwrap();
    assert!(error.is_none());
    // Gemini has no ids of its own, and a value that is not JSON arrives as a JSON string.
    let (made, cut) = match wire.name() {
        "anthropic" => ("toolu_0_0", r#"{"cut"#),
        "gemini" => ("", r#""{\"cut""#),
        _ => ("call_0_0", r#"{"cut"#),
    };
    let calls = format!("{made}:read_file mine:run ");
    let inputs = format!("{ARGUMENTS}{cut}");
    assert_eq!(said(&chunks), ["I think 🏠.".to_owned(), "I look, häuser.".to_owned(), calls, inputs]);
    assert!(chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish { .. })));
    let usage = chunks.iter().rev().find_map(|chunk| match chunk {
        Chunk::Usage { usage } => Some((usage.input_tokens, usage.output_tokens)),
        _ => None,
    });
    assert_eq!(usage, Some((11, 7)));
}

// S14
#[test]
fn rendered_turns_decode_to_the_script_for_every_piece_size() {
    for wire in wires() {
        for piece in [1, 7, 1000] {
            check(&wire, piece, None);
            check(&wire, piece, Some(3));
        }
    }
}

#[test]
fn whole_bodies_contain_the_same_text_and_calls() {
    for wire in wires() {
        let model = ScriptedModel::new(script(5, &json!(null)), Arc::clone(&wire));
        let (chunks, error) = answer(&model, &request().with_delivery(Delivery::Whole)).unwrap();
        assert!(error.is_none());
        assert_eq!(said(&chunks)[1], "I look, häuser.");
        assert!(said(&chunks)[2].contains(":read_file mine:run"));
    }
}

#[test]
fn hostile_turns_return_their_error_kind() {
    for wire in wires() {
        let run = |hostile| answer(&ScriptedModel::new(script(5, &hostile), Arc::clone(&wire)), &request());
        let (_, error) = run(json!({"switch": "cut"})).unwrap();
        assert_eq!(error.unwrap().kind, ModelErrorKind::Dropped);
        let (chunks, _) = run(json!({"switch": "stall", "after_bytes": 900})).unwrap();
        assert!(!chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish { .. })));
        let (chunks, _) = run(json!({"switch": "error_mid_stream"})).unwrap();
        assert!(chunks.iter().any(|chunk| matches!(chunk, Chunk::Error { .. })));
        let Err(error) = run(json!({"switch": "status", "status": 429, "retry_after": 2})) else { panic!() };
        assert_eq!((error.kind, error.retry_after.unwrap().as_secs()), (ModelErrorKind::RateLimit, 2));
        for switch in ["html", "not_json"] {
            let (_, error) = run(json!({ "switch": switch })).unwrap();
            assert_eq!(error.unwrap().kind, ModelErrorKind::Dropped, "{switch}");
        }
    }
}

#[test]
fn typing_errors_in_scripts_are_errors() {
    for text in [
        r#"{"turns":[],"x":1}"#,
        r#"{"turns":[{"steps":[],"delay":1}]}"#,
        r#"{"turns":[{"steps":[{"say":"a"}]}]}"#,
        r#"{"turns":[{"steps":[],"hostile":{"switch":"explode"}}]}"#,
    ] {
        assert!(Script::parse(text).is_err(), "{text}");
    }
}
