//! The recorded responses of real providers, decoded and assembled, against their known content.
//!
//! The recordings are in a folder beside the project; if they are missing, each test prints that in one line. Each
//! test prints how many cases it ran and how many agreed.
#![expect(clippy::print_stdout, reason = "the counts are the result")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use windlass_assemble::{Answer, AnswerCall, AssembleOptions, Assembler, CallEvent};
use windlass_protocol::{Arguments, Payload};
use windlass_stream::Chunk;
use windlass_testkit::{Need, corpora, require, split};
use windlass_wire::{DecodeError, ProviderErrorKind, Wire, WireLimits};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

/// Number of random splits, and number of cuts, for each stream.
const ROUNDS: u64 = 20;

/// A recording whose result differs from what its description expects, the rule that decides it, and why.
pub(crate) type Difference = (&'static str, &'static str, &'static str);

const CHAT_DIFFERENCES: &[Difference] = &[];

const RESPONSES_DIFFERENCES: &[Difference] = &[
    (
        "vercel-ai__azure-azure-reasoning-encrypted-content.1.chunks.sse",
        "R1",
        "several responses in one body, which repeat their places; each call is a call and gets a result",
    ),
    (
        "vercel-ai__openai-responses-openai-apply-patch-tool-delete.1.chunks.sse",
        "R1",
        "a patch that waits for its result is a call; the description counts functions and custom tools only",
    ),
    (
        "vercel-ai__openai-responses-openai-apply-patch-tool.1.chunks.sse",
        "R1",
        "a patch that waits for its result is a call",
    ),
    (
        "vercel-ai__openai-responses-openai-local-shell-tool.1.chunks.sse",
        "R1",
        "a local shell call waits for its result",
    ),
    (
        "vercel-ai__openai-responses-openai-mcp-tool-approval.1.chunks.sse",
        "R1",
        "a request for approval waits for its answer, and is a call whose result is the approval",
    ),
    (
        "vercel-ai__openai-responses-openai-mcp-tool-approval.3.chunks.sse",
        "R1",
        "a request for approval waits for its answer",
    ),
    (
        "vercel-ai__openai-responses-openai-reasoning-encrypted-content.1.chunks.sse",
        "R1",
        "several responses in one body, which repeat their places; each call is a call and gets a result",
    ),
    (
        "vercel-ai__openai-responses-parallel-tool-call-wrapper.1.chunks.sse",
        "P3",
        "its first event lacks a bracket; what is no JSON is no unknown event, and ends the stream as in every format",
    ),
];

const ANTHROPIC_DIFFERENCES: &[Difference] = &[(
    "vercel-ai__anthropic-anthropic-programmatic-tool-calling.1.chunks.sse",
    "R1",
    "several responses in one body; calls that stand whole in a message_start are calls and get results, the \
     description counts those in block events only",
)];

/// Bodies with status 200 that are not answers of the format, although they are filed under it.
const NOT_ANSWERS: &[Difference] = &[
    (
        "langchainrb__llm-anthropic-chat_stream_with_empty_tool_input.json",
        "P3",
        "a JSON list of a stream's events, which no server sends as a body",
    ),
    ("langchainrb__llm-anthropic-error.json", "S12", "an error object, read as the error that it is"),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_existing_assistant__01.json",
        "P3",
        "a message of OpenAI's assistants API",
    ),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_new_assistant__02.json",
        "P3",
        "a message of OpenAI's assistants API",
    ),
    (
        "lmnr__test_instrumentations-test_openai-traces-test_assistant-test_streaming_existing_assistant__01.json",
        "P3",
        "a message of OpenAI's assistants API",
    ),
    (
        "openllmetry__opentelemetry-instrumentation-llamaindex-test_agents-test_agent_with_query_tool__02.json",
        "P3",
        "a message of OpenAI's assistants API",
    ),
    (
        "openllmetry__opentelemetry-instrumentation-openai-traces-test_assistant-test_existing_assistant__01.json",
        "P3",
        "a message of OpenAI's assistants API",
    ),
    ("ruby-openai__messages_create__00.json", "P3", "a message of OpenAI's assistants API"),
    ("ruby-openai__messages_create__01.json", "P3", "a message of OpenAI's assistants API"),
    ("ruby-openai__messages_delete_message_setup.json", "P3", "a message of OpenAI's assistants API"),
];

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    pub(crate) meta: Value,
}

pub(crate) fn cases(api: &str, extension: &str) -> Result<Vec<Case>, String> {
    let folder = corpora::find(&format!("streams/{api}"))?;
    let files: BTreeMap<String, Vec<u8>> = corpora::files(&folder).into_iter().collect();
    // An extension can be the end of a longer one.
    let is_longer = |name: &str| {
        [".meta.json", ".array.json"].iter().any(|other| extension != *other && name.ends_with(other))
    };
    let bodies = files.iter().filter(|(name, _)| name.ends_with(extension) && !is_longer(name));
    let cases = bodies.map(|(name, body)| {
        let meta = &files[&format!("{}.meta.json", name.trim_end_matches(extension))];
        Case { name: name.clone(), body: body.clone(), meta: serde_json::from_slice(meta).unwrap() }
    });
    Ok(cases.collect())
}

pub(crate) fn decode(wire: &dyn Wire, pieces: &[&[u8]]) -> (Vec<Chunk>, Result<(), DecodeError>) {
    let mut decoder = wire.decoder(WireLimits::default());
    let mut chunks = Vec::new();
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut chunks) {
            return (chunks, Err(error));
        }
    }
    let result = decoder.finish(&mut chunks);
    (chunks, result)
}

pub(crate) fn assemble(chunks: Vec<Chunk>) -> (Vec<CallEvent>, Answer) {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    (events, answer)
}

/// Returns the content of an answer as the descriptions of the recordings write it.
fn described(answer: &Answer) -> Value {
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|call| match call {
            AnswerCall::Good(call) => {
                let arguments = match &call.payload {
                    Payload::Custom { input } => Some(json!({ "__invalid_json__": input })),
                    _ => call.arguments().map(Arguments::to_value),
                };
                json!({ "id": call.id, "name": call.name, "arguments": arguments })
            }
            AnswerCall::Malformed(call) => {
                let raw = json!({ "__invalid_json__": call.text });
                json!({ "id": call.id, "name": call.name, "arguments": raw })
            }
        })
        .collect();
    json!({ "text": answer.text(), "tool_calls": calls, "finish": answer.raw_stop })
}

/// The description's own words in the same form: arguments as values where they are JSON.
fn expected(meta: &Value) -> Value {
    let expected = &meta["expected"];
    let mut calls = expected["tool_calls"].as_array().cloned().unwrap_or_default();
    for call in &mut calls {
        // Facts about a call that only the descriptions of one format have.
        if let Some(call) = call.as_object_mut() {
            call.retain(|name, _| matches!(name.as_str(), "id" | "name" | "arguments"));
        }
        if let Value::String(text) = &call["arguments"] {
            // No argument bytes at all are an empty object, but where the answer was cut (S10).
            let is_absent = text.is_empty() && expected["finish"] != "length";
            let text = if is_absent { "{}" } else { text.as_str() };
            call["arguments"] =
                serde_json::from_str(text).unwrap_or_else(|_| json!({ "__invalid_json__": text }));
        }
    }
    json!({ "text": expected["text"], "tool_calls": calls, "finish": expected["finish"] })
}

#[track_caller]
fn check_expected(api: &str, wire: &dyn Wire, differences: &[Difference]) {
    let cases = require!(Need::Corpora, cases(api, ".sse"));
    let (mut agreed, mut agreed_by_oracle, mut by_oracle, mut unexplained) = (0, 0, 0, Vec::new());
    for case in &cases {
        let (chunks, result) = decode(wire, &[&case.body]);
        let (_, answer) = assemble(chunks);
        let (met, wanted) = (described(&answer), expected(&case.meta));
        let named = differences.iter().find(|(name, ..)| *name == case.name);
        let is_expected = result.is_ok() && met == wanted;
        let oracle_agrees = case.meta["oracle"]["verdict"] == "agree";
        by_oracle += usize::from(oracle_agrees);
        agreed_by_oracle += usize::from(oracle_agrees && is_expected);
        match (is_expected, named) {
            (true, None) => agreed += 1,
            (false, Some((name, rule, why))) => println!("corpus: {name} differs by {rule}: {why}"),
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but agrees")),
            (false, None) => {
                unexplained.push(format!("{}\n met    {met}\n wanted {wanted}\n {result:?}", case.name));
            }
        }
    }
    println!(
        "corpus: {api} streams: {agreed} of {} as expected, {} by a named rule; {agreed_by_oracle} of {by_oracle} where \
         the provider's own library agrees",
        cases.len(),
        differences.len()
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
    assert!(!cases.is_empty(), "no recordings in {api}");
}

#[test]
fn corpus_openai_chat_streams_decode_as_expected() {
    check_expected("openai-chat", &OpenAiChat::default(), CHAT_DIFFERENCES);
}

#[test]
fn corpus_openai_responses_streams_decode_as_expected() {
    check_expected("openai-responses", &OpenAiResponses::default(), RESPONSES_DIFFERENCES);
}

#[test]
fn corpus_anthropic_streams_decode_as_expected() {
    check_expected("anthropic", &Anthropic::default(), ANTHROPIC_DIFFERENCES);
}

// S14
#[track_caller]
pub(crate) fn check_resplit(api: &str, wire: &dyn Wire) {
    let cases = require!(Need::Corpora, cases(api, ".sse"));
    let mut ways = 0;
    for case in &cases {
        let (whole, _) = decode(wire, &[&case.body]);
        for seed in 0..ROUNDS {
            // From single bytes to whole network chunks.
            let most = [1, 3, 17, 130, 1400][usize::try_from(seed).unwrap() % 5];
            let (chunks, _) = decode(wire, &split::random(&case.body, seed, most));
            assert!(chunks == whole, "{} in pieces of up to {most} bytes, seed {seed}", case.name);
            ways += 1;
        }
        let text = String::from_utf8_lossy(&case.body).replace("\r\n", "\n");
        let (chunks, _) = decode(wire, &[text.replace('\n', "\r\n").as_bytes()]);
        assert!(chunks == whole, "{} with CRLF", case.name);
    }
    println!("corpus: {api} re-split: {ways} of {ways} the same, and {0} of {0} with CRLF", cases.len());
}

#[test]
fn corpus_openai_chat_streams_give_the_same_chunks_however_they_are_split() {
    check_resplit("openai-chat", &OpenAiChat::default());
}

#[test]
fn corpus_openai_responses_streams_give_the_same_chunks_however_they_are_split() {
    check_resplit("openai-responses", &OpenAiResponses::default());
}

#[test]
fn corpus_anthropic_streams_give_the_same_chunks_however_they_are_split() {
    check_resplit("anthropic", &Anthropic::default());
}

fn finished(events: &[CallEvent]) -> BTreeSet<String> {
    let calls = events.iter().filter_map(|event| match event {
        CallEvent::Finished { call, .. } => {
            Some(format!("{} {} {}", call.id, call.name, call.payload.text()))
        }
        _ => None,
    });
    calls.collect()
}

// S8, S10
#[track_caller]
pub(crate) fn check_cut(api: &str, wire: &dyn Wire) {
    let cases = require!(Need::Corpora, cases(api, ".sse"));
    let (mut cuts, mut kept) = (0, 0);
    for case in &cases {
        let (events, _) = assemble(decode(wire, &[&case.body]).0);
        let whole = finished(&events);
        let mut random = split::SplitMix64::new(u64::try_from(case.body.len()).unwrap());
        for _ in 0..ROUNDS {
            let at = random.in_range(0, case.body.len());
            let (events, _) = assemble(decode(wire, &[&case.body[..at]]).0);
            let cut = finished(&events);
            assert!(cut.is_subset(&whole), "{} cut at {at}: {:?}", case.name, cut.difference(&whole));
            kept += cut.len();
            cuts += 1;
        }
    }
    println!(
        "corpus: {api} cut: {cuts} of {cuts} cuts without a call that the whole lacks ({kept} calls kept)"
    );
}

#[test]
fn corpus_openai_chat_streams_cut_anywhere_finish_no_call_of_their_own() {
    check_cut("openai-chat", &OpenAiChat::default());
}

#[test]
fn corpus_openai_responses_streams_cut_anywhere_finish_no_call_of_their_own() {
    check_cut("openai-responses", &OpenAiResponses::default());
}

#[test]
fn corpus_anthropic_streams_cut_anywhere_finish_no_call_of_their_own() {
    check_cut("anthropic", &Anthropic::default());
}

pub(crate) fn status(meta: &Value) -> u16 {
    let status = &meta["status"];
    let word = status.as_str().and_then(|status| status.split(' ').next()?.parse().ok());
    word.or_else(|| u16::try_from(status.as_u64()?).ok()).unwrap_or(200)
}

#[track_caller]
fn check_whole(api: &str, wire: &dyn Wire) {
    let cases = require!(Need::Corpora, cases(api, ".json"));
    let (mut answers, mut refusals, mut others, mut unexplained) = (0, 0, 0, Vec::new());
    for case in &cases {
        let status = status(&case.meta);
        if status >= 400 {
            let error = wire.decode_error(status, &case.body);
            if error.kind == ProviderErrorKind::NotProvider || error.message.is_empty() {
                unexplained.push(format!("{}: {error:?}", case.name));
            }
            refusals += 1;
            continue;
        }
        let mut chunks = Vec::new();
        let result = wire.decode_whole(&case.body, WireLimits::default(), &mut chunks);
        let named = NOT_ANSWERS.iter().find(|(name, ..)| *name == case.name);
        let (_, answer) = assemble(chunks);
        let is_answer = result.is_ok() && answer.error.is_none() && answer.raw_stop.is_some();
        match (is_answer, named) {
            (true, None) => answers += 1,
            (false, Some((name, rule, why))) => {
                println!("corpus: {name} is no answer by {rule}: {why}");
                others += 1;
            }
            (true, Some((name, ..))) => unexplained.push(format!("{name} is listed, but is an answer")),
            (false, None) => unexplained.push(format!("{}: {result:?} {:?}", case.name, answer.error)),
        }
    }
    println!(
        "corpus: {api} bodies: {answers} answers and {refusals} refusals of {} read, {others} are neither",
        cases.len()
    );
    assert!(unexplained.is_empty(), "{} unexplained:\n{}", unexplained.len(), unexplained.join("\n"));
}

#[test]
fn corpus_openai_chat_bodies_are_read_whole() {
    check_whole("openai-chat", &OpenAiChat::default());
}

#[test]
fn corpus_openai_responses_bodies_are_read_whole() {
    check_whole("openai-responses", &OpenAiResponses::default());
}

#[test]
fn corpus_anthropic_bodies_are_read_whole() {
    check_whole("anthropic", &Anthropic::default());
}
