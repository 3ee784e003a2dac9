//! The recordings that a provider's own library reads in another way than they are described, or cannot read at all:
//! each with the rule that decides it. That they are read here as described is `corpus_streams`' to show.

use std::collections::BTreeMap;

use crate::corpus_streams::{Difference, cases};
use windlass_testkit::{Need, require};
use windlass_vendors::WireFormat;

const NULL_DELTA: &str = "a choice with `null` as its delta adds nothing; the library looks into it";
const NO_INDEX: &str = "a call without an index is found by its place; the library wants a number";
const NULL_FIELDS: &str =
    "`null` in the later pieces of a call is no id and no name; the library wants the call's type";
const CONTENT_LIST: &str = "content as a list of thoughts and words is read; the library joins texts only";
const SEVERAL: &str =
    "several responses in one body keep their blocks apart; the library puts them into the first";

const DECIDED: &[Difference] = &[
    ("dd-trace-py__contrib-openai-v1-azure_chat_completion_streamed.sse", "S1", NULL_DELTA),
    (
        "openinference__openinference-instrumentation-mistralai-openinference-mistralai-test_instrumentor-test_synchronous_s-392ffc8e.sse",
        "S2",
        NO_INDEX,
    ),
    (
        "openinference__openinference-instrumentation-mistralai-openinference-mistralai-test_instrumentor-test_synchronous_s-595999f6.sse",
        "S2",
        NO_INDEX,
    ),
    (
        "openllmetry__opentelemetry-instrumentation-writer-test_chat-test_writer_async_streaming_chat_multiple_tool_call_requests_legacy.sse",
        "S1",
        NULL_FIELDS,
    ),
    (
        "openllmetry__opentelemetry-instrumentation-writer-test_chat-test_writer_async_streaming_chat_tool_call_request_legacy.sse",
        "S1",
        NULL_FIELDS,
    ),
    (
        "ruby-llm__chat_mistral_hybrid_reasoning_streams_thinking_separately_from_content.sse",
        "P3",
        CONTENT_LIST,
    ),
    (
        "ruby-llm__chat_with_extended_thinking_mistral_mistral-small-latest_streams_thinking_content_when_available.sse",
        "P3",
        CONTENT_LIST,
    ),
    ("vercel-ai__anthropic-anthropic-programmatic-tool-calling.1.chunks.sse", "S13", SEVERAL),
    ("vercel-ai__anthropic-anthropic-tool-search-bm25.1.chunks.sse", "S13", SEVERAL),
    ("vercel-ai__anthropic-anthropic-tool-search-deferred-bm25.chunks.sse", "S13", SEVERAL),
    ("vercel-ai__anthropic-anthropic-tool-search-deferred-regex.chunks.sse", "S13", SEVERAL),
    ("vercel-ai__anthropic-anthropic-tool-search-regex.1.chunks.sse", "S13", SEVERAL),
    (
        "vercel-ai__anthropic-spliced-message-start.chunks.sse",
        "S10",
        "a call that another response cut is never run; the library joins the two",
    ),
    ("vercel-ai__azure-azure-reasoning-encrypted-content.1.chunks.sse", "R1", SEVERAL),
    ("vercel-ai__openai-responses-openai-reasoning-encrypted-content.1.chunks.sse", "R1", SEVERAL),
    (
        "vercel-ai__openai-responses-openai-error.1.chunks.sse",
        "S12",
        "an error inside a stream is told as a chunk, with what came before it; the library throws it",
    ),
    (
        "vercel-ai__openai-responses-parallel-tool-call-wrapper.1.chunks.sse",
        "P3",
        "its first event is no JSON, for the library as here",
    ),
];

#[test]
fn corpus_rows_on_which_a_library_disagrees_are_decided_by_a_rule() {
    let events = WireFormat::all().iter().map(|format| (format.name(), ".sse"));
    let folders = events.chain([("gemini", ".array.json")]);
    let (mut verdicts, mut decided, mut undecided) = (BTreeMap::new(), 0, Vec::new());
    for (api, extension) in folders {
        let cases = require!(Need::Corpora, cases(api, extension));
        for case in &cases {
            let verdict = case.meta["oracle"]["verdict"].as_str().unwrap_or("none").to_owned();
            *verdicts.entry((api, verdict.clone())).or_insert(0) += 1;
            if !matches!(verdict.as_str(), "DISAGREE" | "sdk-error") {
                continue;
            }
            match DECIDED.iter().find(|(name, ..)| *name == case.name) {
                Some((name, rule, why)) => {
                    println!("corpus: {name} is {verdict} and decided by {rule}: {why}");
                    decided += 1;
                }
                None => undecided.push(format!("{} {verdict}", case.name)),
            }
        }
    }
    for ((api, verdict), count) in verdicts {
        println!("corpus: {api} libraries: {count} {verdict}");
    }
    println!(
        "corpus: libraries: {decided} of {} DISAGREE and sdk-error rows decided by a rule",
        DECIDED.len()
    );
    assert!(undecided.is_empty(), "no rule decides {}", undecided.join(", "));
    assert_eq!(decided, DECIDED.len(), "each row is met");
}
