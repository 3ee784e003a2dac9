//! The recorded answers of OpenAI Responses as they go back in the next request: each item as the API gave it, in
//! its place (RULES P2 to P4).

use serde_json::{Value, json};
use windlass_assemble::{AssembleOptions, Assembler};
use windlass_protocol::{Message, Request, ResultStatus, ToolResult};
use windlass_testkit::{Need, corpora, require};
use windlass_wire::{DecodeError, Wire, WireLimits};
use windlass_wire_openai_responses::{OpenAiResponses, OpenAiResponsesOptions, Storage};

/// An answer that does not go back as it came, the rule that decides it, and why.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "mirascope__typescript-e2e-output-max-tokens-openai_responses-returns-max-tokens-finish-reason-for-stream.sse",
        "P2",
        "nothing came after the thoughts, and the API refuses thoughts that nothing follows",
    ),
    (
        "mirascope__typescript-e2e-output-refusal-openai_responses-handles-refusal-for-stream.sse",
        "S10",
        "the call was cut; it goes back without its half arguments, to be answered with an error",
    ),
    (
        "mirascope__typescript-e2e-output-stream-openai_responses-returns-max-tokens-finish-reason.sse",
        "P2",
        "nothing came after the thoughts, and the API refuses thoughts that nothing follows",
    ),
    (
        "vercel-ai__openai-responses-openai-image-generation-tool.1.chunks.sse",
        "R7",
        "its message has no words, and an empty message is not kept",
    ),
    (
        "vercel-ai__openai-responses-openai-shell-container.1.chunks.sse",
        "S6",
        "edited by hand: the end of the message says other words than its deltas, which count",
    ),
    (
        "vercel-ai__openai-responses-parallel-tool-call-wrapper.1.chunks.sse",
        "P3",
        "its first event is no JSON, so that nothing is read",
    ),
];

/// Returns the items of a streamed answer as the API sent them.
fn recorded(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let events = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let ends = events.filter(|event| event["type"] == "response.output_item.done");
    ends.map(|mut event| event["item"].take()).collect()
}

/// The items that the answer becomes in the next request, to a server that keeps them, without the results.
fn sent_back(body: &[u8]) -> Result<Vec<Value>, DecodeError> {
    let wire = OpenAiResponses::new(OpenAiResponsesOptions::default().with_storage(Storage::On));
    let (mut decoder, mut chunks) = (wire.decoder(WireLimits::default()), Vec::new());
    decoder.push(body, &mut chunks)?;
    decoder.finish(&mut chunks)?;
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let Some(answer) = assembler.finish(&mut events).message() else { return Ok(Vec::new()) };
    let results: Vec<ToolResult> =
        answer.calls().map(|call| ToolResult::text(call.id.clone(), ResultStatus::Ok, "x")).collect();
    let count = results.len();
    let request = Request::new("m", vec![answer, Message::results(results)]);
    let mut body: Value = serde_json::from_slice(&wire.encode(&request).unwrap().body).unwrap();
    let mut items: Vec<Value> = serde_json::from_value(body["input"].take()).unwrap();
    items.truncate(items.len() - count);
    Ok(items)
}

/// An item without the fields that make no difference: its status, absent values, and the source of its
/// words.
fn plain(mut item: Value) -> Value {
    let fields = item.as_object_mut().unwrap();
    fields.retain(|name, value| !value.is_null() && name != "status");
    if fields.get("caller").is_some_and(|caller| caller["type"] == "direct") {
        fields.remove("caller");
    }
    if fields.get("role").is_none_or(|role| role != "assistant") {
        return item;
    }
    let parts = fields["content"].as_array().cloned().unwrap_or_default();
    let refusal = parts.iter().find_map(|part| part["refusal"].as_str());
    // Parts that are words are one text here.
    let words: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    match refusal {
        Some(refusal) => json!({ "refusal": refusal }),
        None => json!({ "words": words, "id": fields.get("id"), "phase": fields.get("phase") }),
    }
}

#[test]
fn corpus_openai_responses_answers_are_returned_unchanged() {
    let folder = require!(Need::Corpora, corpora::find("streams/openai-responses"));
    let (mut answers, mut items, mut same, mut named, mut unexplained) = (0, 0, 0, 0, Vec::new());
    for (file, body) in
        corpora::files(&folder).into_iter().filter(|(file, _)| file.strip_suffix(".sse").is_some())
    {
        let wanted: Vec<Value> = recorded(&String::from_utf8_lossy(&body)).into_iter().map(plain).collect();
        let met: Vec<Value> = sent_back(&body).unwrap_or_default().into_iter().map(plain).collect();
        answers += 1;
        match (met == wanted, DIFFERENCES.iter().find(|(name, ..)| *name == file)) {
            (true, None) => {
                same += 1;
                items += met.len();
            }
            (true, Some(_)) => unexplained.push(format!("{file} is listed, but goes back as it came")),
            (false, Some((_, rule, why))) => {
                println!("corpus: {file} differs by {rule}: {why}");
                named += 1;
            }
            (false, None) => {
                unexplained.push(format!("{file}\n met    {}\n wanted {}", json!(met), json!(wanted)));
            }
        }
    }
    println!(
        "corpus: openai-responses answers: {same} of {answers} go back as they came, {items} items; {named} by a named rule"
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
}
