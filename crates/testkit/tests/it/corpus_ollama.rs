//! Recorded answers of Ollama, as its own server puts them into OpenAI's format.
//!
//! The recordings are of Ollama's own API, which windlass does not speak: its users reach Ollama through its OpenAI
//! surface. The server there makes each line of its own stream one chunk, and this test does the same before it decodes
//! (Ollama, `openai/openai.go`). Recordings of APIs that have no such surface are counted as skipped.

use std::fmt::Write as _;

use serde_json::{Value, json};
use windlass_assemble::Answer;
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_openai_chat::OpenAiChat;

use crate::corpus_streams::{Case, assemble, cases, decode, status};

/// The words and thoughts of a line; `/api/generate` has no message.
fn said<'a>(line: &'a Value, name: &str) -> Option<&'a str> {
    let held = match line.get("message") {
        Some(message) => message.get(name),
        None => line.get(if name == "content" { "response" } else { name }),
    };
    held.and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn calls(line: &Value) -> Vec<Value> {
    let calls = line.pointer("/message/tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
    let call = |(index, call): (usize, &Value)| {
        let function = &call["function"];
        // Arguments are an object there and a text here.
        json!({"index": index, "id": format!("call_{index}"), "type": "function",
            "function": {"name": function["name"], "arguments": function["arguments"].to_string()}})
    };
    calls.iter().enumerate().map(call).collect()
}

fn finish(line: &Value, has_calls: bool) -> Value {
    match line["done"].as_bool() {
        Some(true) if has_calls => json!("tool_calls"),
        Some(true) => line.get("done_reason").cloned().unwrap_or(json!("stop")),
        _ => Value::Null,
    }
}

fn message(line: &Value) -> Value {
    let mut message = json!({"role": "assistant", "content": said(line, "content").unwrap_or_default()});
    if let Some(thoughts) = said(line, "thinking") {
        message["reasoning"] = thoughts.into();
    }
    let calls = calls(line);
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn streamed(lines: &[Value]) -> Vec<u8> {
    let mut has_calls = false;
    let mut body = String::new();
    for line in lines {
        has_calls |= !calls(line).is_empty();
        let choice = json!({"index": 0, "delta": message(line), "finish_reason": finish(line, has_calls)});
        let chunk = json!({"object": "chat.completion.chunk", "model": line["model"], "choices": [choice]});
        write!(body, "data: {chunk}\n\n").unwrap();
    }
    body.push_str("data: [DONE]\n\n");
    body.into_bytes()
}

fn whole(line: &Value) -> Vec<u8> {
    let message = message(line);
    let finish = finish(line, !calls(line).is_empty());
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    json!({"object": "chat.completion", "model": line["model"], "choices": [choice]}).to_string().into_bytes()
}

/// Returns the recorded values in the form of the decoded ones.
fn wanted(lines: &[Value]) -> Value {
    let joined = |name| lines.iter().filter_map(|line| said(line, name)).collect::<String>();
    let calls: Vec<Value> = lines
        .iter()
        .filter_map(|line| line.pointer("/message/tool_calls").and_then(Value::as_array))
        .flatten()
        .map(|call| json!([call["function"]["name"], call["function"]["arguments"]]))
        .collect();
    json!([joined("content"), joined("thinking"), calls])
}

fn met(answer: &Answer) -> Value {
    let thoughts: String = answer
        .parts
        .iter()
        .filter_map(|part| match part {
            windlass_protocol::Part::Reasoning(reasoning) => Some(reasoning.text.as_str()),
            _ => None,
        })
        .collect();
    let calls: Vec<Value> = answer
        .good_calls()
        .map(|call| json!([call.name.as_str(), call.arguments().map(windlass_protocol::Arguments::to_value)]))
        .collect();
    json!([answer.text(), thoughts, calls])
}

fn lines(case: &Case) -> Vec<Value> {
    let text = String::from_utf8_lossy(&case.body);
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn corpus_ollama_answers_mean_the_same_through_its_openai_surface() {
    let streams = require!(Need::Corpora, cases("ollama", ".ndjson"));
    let bodies = require!(Need::Corpora, cases("ollama", ".json"));
    let wire = OpenAiChat::default();
    let mut same = [0, 0];
    for case in &streams {
        let lines = lines(case);
        let (chunks, result) = decode(&wire, &[&streamed(&lines)]);
        assert!(result.is_ok(), "{}: {result:?}", case.name);
        assert_eq!(met(&assemble(chunks).1), wanted(&lines), "{}", case.name);
        same[0] += 1;
    }
    let mut refused = 0;
    for case in &bodies {
        if status(&case.meta) >= 400 {
            let error = wire.decode_error(status(&case.meta), &case.body);
            assert!(!error.message.is_empty(), "{}", case.name);
            refused += 1;
            continue;
        }
        let line: Value = serde_json::from_slice(&case.body).unwrap();
        let mut chunks = Vec::new();
        wire.decode_whole(&whole(&line), WireLimits::default(), &mut chunks).unwrap();
        assert_eq!(met(&assemble(chunks).1), wanted(std::slice::from_ref(&line)), "{}", case.name);
        same[1] += 1;
    }
    println!(
        "corpus: ollama through its OpenAI surface: {} of {} streams and {} of {} bodies as recorded, {refused} refusals",
        same[0],
        streams.len(),
        same[1],
        bodies.len() - refused
    );
    assert!(same[0] > 0 && same[1] > 0);
}

#[test]
fn corpus_of_other_apis_is_counted() {
    for api in ["cohere", "gemini-interactions", "openai-completions-legacy"] {
        let folder = require!(Need::Corpora, corpora::find(&format!("streams/{api}")));
        let files = corpora::files(&folder);
        let count = files.iter().filter(|(name, _)| !name.ends_with(".meta.json")).count();
        println!("corpus: {count} recordings of {api} are not read: windlass does not speak this format");
    }
}
