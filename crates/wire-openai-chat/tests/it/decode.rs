//! Streams that no recording has, written by hand from the public documentation, against their chunks.

use windlass_stream::{CallChunk, Chunk};
use windlass_testkit::wire_suite::{Fixture, check_streams};
use windlass_wire::{Wire, WireLimits};
use windlass_wire_openai_chat::OpenAiChat;

macro_rules! fixture {
    ($name:literal) => {
        Fixture {
            name: $name,
            stream: include_bytes!(concat!("../data/", $name, ".sse")),
            chunks: include_str!(concat!("../data/", $name, ".chunks")),
        }
    };
}

pub(crate) const FIXTURES: &[Fixture] = &[
    fixture!("annotations"),
    fixture!("arguments_as_object"),
    fixture!("byte_order_mark"),
    fixture!("content_as_list"),
    fixture!("custom_tool"),
    fixture!("custom_tool_cut"),
    fixture!("cut_last_line"),
    fixture!("done_without_reason"),
    fixture!("empty_ids"),
    fixture!("error_in_mid_stream"),
    fixture!("error_without_choices"),
    fixture!("interleaved_calls"),
    fixture!("legacy_function_call"),
    fixture!("lone_surrogates"),
    fixture!("mixed_line_ends"),
    fixture!("name_split_over_deltas"),
    fixture!("odd_types"),
    fixture!("plain_json_body"),
    fixture!("plain_json_error"),
    fixture!("reasoning_content"),
    fixture!("reasoning_details"),
    fixture!("refusal"),
    fixture!("same_index_new_id"),
    fixture!("second_choice"),
    fixture!("signed_call"),
    fixture!("unterminated_last_line"),
    fixture!("usage_after_done"),
];

// P2 to P4, S1, S6, S7, S12, S14, S15
#[test]
fn streams_give_their_chunks_however_they_are_split() {
    check_streams(&OpenAiChat::default(), FIXTURES);
}

// S10: a patch that `abort` broke off does not run.
#[test]
fn a_freeform_call_before_an_unknown_stop_reason_is_not_complete() {
    let stream = |reason: &str| {
        let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","type":"custom","custom":{"name":"patch","input":"*** Begin"}}]}}]}"#;
        let end = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        let mut chunks = Vec::new();
        let mut decoder = OpenAiChat::default().decoder(WireLimits::default());
        decoder.push(format!("data: {call}\n\ndata: {end}\n\n").as_bytes(), &mut chunks).unwrap();
        chunks.iter().any(|chunk| matches!(chunk, Chunk::Call(CallChunk::Whole { .. })))
    };
    assert!(stream("tool_calls"));
    assert!(!stream("abort") && !stream("length"));
}
