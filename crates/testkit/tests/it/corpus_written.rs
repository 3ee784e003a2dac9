//! The recorded answers of real providers, written again by the provider's side of their format and read once
//! more: their content stays the same, streamed and whole.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use windlass_assemble::{Answer, AnswerCall, AssembleOptions, Ending, Normalizer};
use windlass_protocol::{Part, Request, StopReason};
use windlass_stream::Chunk;
use windlass_wire::{DecodedRequest, Framing, ResponseHead, Server, Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

use crate::corpus_streams::{Difference, assemble, cases, decode, status};
use windlass_testkit::{Need, require};

/// The two sides of one format.
pub(crate) struct Format<'a> {
    /// The folder of its recordings.
    pub(crate) api: &'static str,
    pub(crate) wire: &'a dyn Wire,
    pub(crate) server: &'a dyn Server,
    /// Answers whose content changes when they are written again as a stream, or as a whole.
    pub(crate) differences: &'static [Difference],
}

/// The opaque value of thoughts, without the name of its field: the name differs between vendors, a stream
/// shows it only at the end of the thoughts, and this server uses its own.
fn own_marks(marks: &Value) -> Value {
    let mut marks = marks.clone();
    if let Some(fields) = marks.as_object_mut() {
        fields.remove("field");
    }
    marks
}

/// The content of an answer. Words and thoughts are each joined: their boundaries do not matter here, and a
/// whole completion of OpenAI Chat has no order among words, thoughts and calls.
fn said(answer: &Answer) -> Value {
    let (mut words, mut thoughts, mut marks, mut others) = (String::new(), String::new(), vec![], vec![]);
    for part in &answer.parts {
        match part {
            Part::Text(text) => words.push_str(&text.text),
            Part::Reasoning(reasoning) => {
                thoughts.push_str(&reasoning.text);
                marks.extend(reasoning.opaque.as_ref().map(|opaque| own_marks(&opaque.value)));
            }
            Part::Unknown(unknown) => others.push(unknown.value.clone()),
            _ => {}
        }
    }
    let calls = answer.calls.iter().map(|call| match call {
        AnswerCall::Good(call) => {
            json!({ "id": call.id, "name": call.name, "payload": call.payload, "opaque": call.opaque })
        }
        AnswerCall::Malformed(call) => json!({ "id": call.id, "name": call.name, "cut": call.text }),
    });
    let is_whole = answer.ending == Ending::Complete;
    // An answer with calls that ends with `End` is treated as one that ends with `Calls` (RULES S9).
    let stop = match &answer.stop {
        Some(StopReason::End) if !answer.calls.is_empty() => Some(StopReason::Calls),
        stop => stop.clone(),
    };
    json!({
        "words": words, "thoughts": thoughts, "thought_marks": marks, "others": others,
        "calls": calls.collect::<Vec<_>>(), "stop": stop, "whole": is_whole, "usage": answer.usage,
        "failed": answer.error.as_ref().map(|error| (error.kind, error.message.clone())),
        "grounding": answer.grounding,
    })
}

/// The answer's bytes as the provider's side writes them.
fn written(server: &dyn Server, framing: Framing, chunks: &[Chunk]) -> Result<Vec<u8>, String> {
    let mut request = Request::new("model", Vec::new());
    request.options.extra.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    let mut encoder = server
        .encoder(&DecodedRequest::new(request, framing), ResponseHead::new("1", "model", 1_700_000_000));
    let mut bytes = Vec::new();
    for chunk in chunks {
        encoder.push(chunk, &mut bytes).map_err(|error| error.to_string())?;
    }
    encoder.finish(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn read(format: &Format<'_>, framing: Framing, bytes: &[u8]) -> Result<Vec<Chunk>, String> {
    let mut chunks = Vec::new();
    let result = if framing == Framing::Whole {
        format.wire.decode_whole(bytes, WireLimits::default(), &mut chunks)
    } else {
        let (read, result) = decode(format.wire, &[bytes]);
        chunks = read;
        result
    };
    result.map_err(|error| error.to_string())?;
    Ok(chunks)
}

/// The fields in which two answers differ.
fn difference(met: &Value, wanted: &Value) -> Option<String> {
    let fields = wanted.as_object().unwrap();
    let differs = fields.iter().filter(|(name, value)| met[name.as_str()] != **value);
    let told: Vec<String> = differs
        .map(|(name, value)| {
            format!(
                "{name}: found {}, expected \
                 {value}",
                met[name.as_str()]
            )
        })
        .collect();
    (!told.is_empty()).then(|| told.join("\n  "))
}

fn check_answer(format: &Format<'_>, framing: Framing, chunks: &[Chunk]) -> Option<String> {
    let wanted = said(&assemble(chunks.to_vec()).1);
    let (mut normalizer, mut normal) = (Normalizer::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        normalizer.push(chunk.clone(), &mut normal);
    }
    normalizer.finish(&mut normal);
    let again = written(format.server, framing, &normal).and_then(|bytes| read(format, framing, &bytes));
    match again {
        Ok(again) => difference(&said(&assemble(again).1), &wanted),
        Err(error) => Some(error),
    }
}

/// Every recorded answer, streamed or whole, written again as a stream and as a whole.
#[track_caller]
pub(crate) fn check(format: &Format<'_>) {
    let streams = require!(Need::Corpora, cases(format.api, ".sse"));
    let bodies = require!(Need::Corpora, cases(format.api, ".json"));
    let mut answers: Vec<(String, Vec<Chunk>)> = Vec::new();
    for case in &streams {
        let (chunks, result) = decode(format.wire, &[&case.body]);
        if result.is_ok() {
            answers.push((case.name.clone(), chunks));
        }
    }
    for case in bodies.iter().filter(|case| status(&case.meta) < 400) {
        let mut chunks = Vec::new();
        if format.wire.decode_whole(&case.body, WireLimits::default(), &mut chunks).is_ok() {
            answers.push((case.name.clone(), chunks));
        }
    }
    let (mut same, mut named, mut used, mut unexplained) = ([0, 0], 0, BTreeSet::new(), Vec::new());
    for (name, chunks) in &answers {
        for (way, framing) in [Framing::Events, Framing::Whole].into_iter().enumerate() {
            let label = format!("{name} as {}", ["a stream", "a whole"][way]);
            let row = format.differences.iter().find(|(row, ..)| label == *row || name == row);
            match (check_answer(format, framing, chunks), row) {
                (None, _) => same[way] += 1,
                (Some(_), Some((row, rule, why))) => {
                    println!("corpus: {row} differs by {rule}: {why}");
                    named += 1;
                    used.insert(*row);
                }
                (Some(problem), None) => unexplained.push(format!("{label}\n  {problem}")),
            }
        }
    }
    let stale = format.differences.iter().filter(|(row, ..)| !used.contains(row));
    unexplained.extend(stale.map(|(row, ..)| format!("{row} is listed, but says the same")));
    println!(
        "corpus: {0} answers written again: {1} of {2} as a stream and {3} of {2} as a whole, {named} by a named rule",
        format.api,
        same[0],
        answers.len(),
        same[1]
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(!answers.is_empty(), "no recordings in {}", format.api);
}

/// Only the name of the call arrived before the token limit.
const NOTHING_CAME: &str =
    "the limit of tokens came before any of the arguments; such a call is not handed on";

const CHAT_DIFFERENCES: &[Difference] = &[
    ("rig__mistral-tool_truncation_matrix-streaming_ministral_3b_low_agent.sse", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-streaming_ministral_3b_low_model.sse", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-streaming_mistral_small_low_agent.sse", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-streaming_mistral_small_low_model.sse", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-blocking_ministral_3b_low_agent.json", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-blocking_mistral_small_low_agent.json", "S10", NOTHING_CAME),
    ("rig__mistral-tool_truncation_matrix-blocking_mistral_small_low_model.json", "S10", NOTHING_CAME),
];

const ANTHROPIC_DIFFERENCES: &[Difference] = &[
    (
        "vercel-ai__anthropic-spliced-message-start.chunks.sse as a whole",
        "S10",
        "a call was cut and another response followed; its half input goes out as a text, which is no arguments",
    ),
    (
        "vercel-ai__anthropic-anthropic-programmatic-tool-calling.1.chunks.sse",
        "S13",
        "several answers in one body, each with the container and another moment of its end; one answer has the last",
    ),
];

#[test]
fn corpus_openai_chat_answers_round_trip() {
    let wire = OpenAiChat::default();
    check(&Format { api: "openai-chat", wire: &wire, server: &wire, differences: CHAT_DIFFERENCES });
}

#[test]
fn corpus_anthropic_answers_round_trip() {
    let wire = Anthropic::default();
    check(&Format { api: "anthropic", wire: &wire, server: &wire, differences: ANTHROPIC_DIFFERENCES });
}
