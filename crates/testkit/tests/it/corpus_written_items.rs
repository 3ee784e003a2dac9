//! The recorded answers of OpenAI Responses and Gemini, read, written again as a provider of the format writes them,
//! and read once more: the same answer, as a stream and in one body.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use serde_json::{Value, json};
use windlass_assemble::{Answer, AnswerCall, AssembleOptions, Assembler, Normalizer};
use windlass_protocol::{Message, Opaque, Part, Request, StopReason};
use windlass_stream::Chunk;
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{DecodedRequest, Framing, ResponseHead, Server, Wire, WireLimits};
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::corpus_streams::{Difference, decode};

/// Answers that are not the same when they were written again, by name and framing, the rule that decides it, and why.
const DIFFERENCES: &[Difference] = &[
    (
        "langchainjs-google__libs-providers-langchain-google-common-chat-stream-thinking-mock.array.json as Whole",
        "S8",
        "the recording has no end, and a body has to say that the answer ended early",
    ),
    (
        "langchainjs-google__libs-providers-langchain-google-common-llm-8-mock.array.json as Whole",
        "P3",
        "a body has one place for the sources of an answer, and the last that were told are all of them",
    ),
    (
        "vercel-ai__google-speech-translation-google-live-speech-translation.chunks.sse as Whole",
        "P3",
        "events of the Live API, which a body has no place for",
    ),
    (
        "vercel-ai__openai-responses-parallel-tool-call-wrapper.1.chunks.sse as Whole",
        "S8",
        "nothing of the stream could be read, and a body has to say that the answer ended early",
    ),
];

fn assemble(chunks: &[Chunk]) -> Answer {
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk.clone(), &mut events);
    }
    assembler.finish(&mut events)
}

/// Returns the thoughts of a client's message as the server decodes them when the client sends them back.
fn handed_back(opaque: &Opaque) -> Opaque {
    let Some(item) = opaque.value.get("output_item") else { return opaque.clone() };
    let body = json!({ "model": "m", "input": [item] }).to_string();
    let request = OpenAiResponses::default().decode_request("/responses", body.as_bytes()).unwrap().request;
    match &request.messages[0].parts[0] {
        Part::Reasoning(thoughts) => thoughts.opaque.clone().unwrap(),
        _ => opaque.clone(),
    }
}

/// The content of an answer, in the framing in which it was or will be written.
///
/// Ids of items that were generated during writing, and the numbers of events, have no meaning. A body has no
/// place for events, and must state how it ended.
fn said(answer: &Answer, framing: Framing) -> Value {
    let is_made = |id: &Value| {
        id.as_str().is_some_and(|id| {
            ["fc_1_", "ctc_1_", "msg_1_", "rs_1_", "call_0_"].iter().any(|made| id.starts_with(made))
        })
    };
    let marks = |opaque: &Option<Opaque>| {
        let mut value = opaque.as_ref().map_or(Value::Null, |opaque| opaque.value.clone());
        let fields = value
            .as_object_mut()
            .map(|fields| fields.retain(|name, value| !(name == "id" && is_made(value))));
        if fields.is_some() && value == json!({}) { Value::Null } else { value }
    };
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|call| match call {
            AnswerCall::Good(call) => json!([call.id, call.fingerprint(), marks(&call.opaque)]),
            AnswerCall::Malformed(call) => json!(["cut", call.name, call.text]),
        })
        .collect();
    let mut others = Vec::new();
    let mut reasoning = String::new();
    let mut signatures = Vec::new();
    for part in &answer.parts {
        match part {
            Part::Reasoning(thoughts) => {
                reasoning.push_str(&thoughts.text);
                signatures.push(marks(&thoughts.opaque.as_ref().map(handed_back)));
            }
            Part::Text(text) => signatures.push(marks(&text.opaque)),
            Part::Unknown(unknown) => {
                let mut value = unknown.value.clone();
                let is_event = value["type"].is_string();
                value.as_object_mut().unwrap().remove("sequence_number");
                if !(is_event && framing == Framing::Whole) {
                    others.push(value);
                }
            }
            _ => {}
        }
    }
    if framing != Framing::Whole {
        // A message of a stream starts before its own id is known to the proxy, and keeps the generated id.
        // Thoughts get their own id back: the API binds their cipher to it.
        signatures.iter_mut().for_each(without_id);
    }
    signatures.retain(|signature| !signature.is_null() && *signature != json!({}));
    // S9: a proxy changes the stop reason of an answer with calls from `End` to `Calls`.
    let has_calls = answer.good_calls().next().is_some() && answer.stop == Some(StopReason::End);
    let stop = if has_calls { Some(StopReason::Calls) } else { answer.stop.clone() };
    let broke = || (framing == Framing::Whole).then_some(StopReason::Error);
    json!({
        "text": answer.text(), "reasoning": reasoning, "calls": calls, "stop": stop.or_else(broke), "others": others,
        "signatures": signatures, "usage": answer.usage, "grounding": answer.grounding,
        "error": answer.error.as_ref().map(|error| (error.kind, &error.message)),
    })
}

/// The opaque value of words, without the id of their item.
fn without_id(marks: &mut Value) {
    if let Some(fields) = marks.as_object_mut() {
        fields.remove("id");
    }
}

fn write(server: &dyn Server, framing: Framing, chunks: &[Chunk]) -> Vec<u8> {
    let (mut normalizer, mut normal) = (Normalizer::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        normalizer.push(chunk.clone(), &mut normal);
    }
    normalizer.finish(&mut normal);
    let asked = DecodedRequest::new(Request::new("model", vec![Message::user("hi")]), framing);
    let mut encoder = server.encoder(&asked, ResponseHead::new("1", "model", 7));
    let mut bytes = Vec::new();
    for chunk in &normal {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    bytes
}

fn read(wire: &dyn Wire, framing: Framing, bytes: &[u8], name: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let result = if framing == Framing::Whole {
        wire.decode_whole(bytes, WireLimits::default(), &mut chunks)
    } else {
        let (read, result) = decode(wire, &[bytes]);
        chunks = read;
        result
    };
    assert!(result.is_ok(), "{name}: {result:?} {}", String::from_utf8_lossy(bytes));
    chunks
}

#[track_caller]
fn check<F: Wire + Server>(format: &F, folder: &str, framings: &[Framing], floor: usize) {
    let path = require!(Need::Corpora, corpora::find(&format!("streams/{folder}")));
    let (mut answers, mut same, mut named, mut unexplained) = (0, 0, 0, Vec::new());
    for (file, body) in corpora::files(&path) {
        if file.strip_suffix(".meta.json").is_some() {
            continue;
        }
        let is_body = file.strip_suffix(".json").is_some_and(|name| name.strip_suffix(".array").is_none());
        let mut chunks = Vec::new();
        if is_body {
            if format.decode_whole(&body, WireLimits::default(), &mut chunks).is_err() {
                continue;
            }
        } else {
            chunks = decode(format, &[&body]).0;
        }
        let answer = assemble(&chunks);
        for framing in framings {
            let wanted = said(&answer, *framing);
            answers += 1;
            let name = format!("{file} as {framing:?}");
            let bytes = write(format, *framing, &chunks);
            let met = said(&assemble(&read(format, *framing, &bytes, &name)), *framing);
            match (met == wanted, DIFFERENCES.iter().find(|(known, ..)| *known == name)) {
                (true, None) => same += 1,
                (true, Some(_)) => unexplained.push(format!("{name} is listed, but is the same")),
                (false, Some((_, rule, why))) => {
                    println!("corpus: {name} differs by {rule}: {why}");
                    named += 1;
                }
                (false, None) => unexplained.push(format!("{name}\n{}", difference(&met, &wanted))),
            }
        }
    }
    println!(
        "corpus: {folder} answers written again: {same} of {answers} the same, {named} differ by a named rule"
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(answers == 0 || same >= floor, "only {same} of {answers}");
}

/// The fields that differ.
fn difference(met: &Value, wanted: &Value) -> String {
    let fields = wanted.as_object().unwrap().iter().filter(|(name, value)| met[name.as_str()] != **value);
    let lines =
        fields.map(|(name, value)| format!(" {name}\n  met    {}\n  wanted {value}", met[name.as_str()]));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn corpus_openai_responses_answers_are_written_again() {
    check(&OpenAiResponses::default(), "openai-responses", &[Framing::Events, Framing::Whole], 567);
}

#[test]
fn corpus_gemini_answers_are_written_again() {
    check(&Gemini::default(), "gemini", &[Framing::Events, Framing::Array, Framing::Whole], 924);
}

// S10
#[test]
fn a_truncated_answer_keeps_its_text_without_the_stop_reason_calls() {
    for framing in [Framing::Events, Framing::Array, Framing::Whole] {
        let formats: [(&dyn Wire, &dyn Server); 2] = [
            (&OpenAiResponses::default(), &OpenAiResponses::default()),
            (&Gemini::default(), &Gemini::default()),
        ];
        for (wire, server) in formats {
            let bytes = write(server, framing, &[Chunk::text("I lo")]);
            let answer = assemble(&read(wire, framing, &bytes, "a piece"));
            assert_ne!(answer.stop, Some(StopReason::Calls), "{}", wire.name());
            assert_eq!(answer.text(), "I lo");
        }
    }
}
