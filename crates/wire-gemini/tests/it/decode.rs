//! Streams that no recording has, written by hand from the public documentation, against their chunks.

use windlass_testkit::wire_suite::{Fixture, check_streams};
use windlass_wire_gemini::Gemini;

macro_rules! fixture {
    ($name:literal, $extension:literal) => {
        Fixture {
            name: $name,
            stream: include_bytes!(concat!("../data/", $name, $extension)),
            chunks: include_str!(concat!("../data/", $name, ".chunks")),
        }
    };
    ($name:literal) => {
        fixture!($name, ".sse")
    };
}

pub(crate) const FIXTURES: &[Fixture] = &[
    fixture!("array", ".json"),
    fixture!("array_cut", ".json"),
    fixture!("array_with_an_error", ".json"),
    fixture!("blocked_prompt"),
    fixture!("dropped"),
    fixture!("error_in_mid_stream"),
    fixture!("lone_surrogates"),
    fixture!("malformed_function_call"),
    fixture!("nameless_calls"),
    fixture!("numbers_for_enums"),
    fixture!("other_parts"),
    fixture!("parallel_calls_without_ids"),
    fixture!("partial_arguments"),
    fixture!("partial_arguments_cut"),
    fixture!("partial_arguments_out_of_order"),
    fixture!("plain_json_body", ".json"),
    fixture!("plain_json_error", ".json"),
    fixture!("same_envelope"),
    fixture!("signed_call_with_id"),
    fixture!("signed_thoughts"),
    fixture!("signed_words"),
    fixture!("sources"),
    fixture!("stopped_by_safety"),
    fixture!("unknown_events_and_fields"),
    fixture!("unterminated_last_line"),
    fixture!("words_and_usage"),
];

// P2 to P4, S1, S6, S7, S10 to S12, S14, S15
#[test]
fn streams_give_their_chunks_however_they_are_split() {
    check_streams(&Gemini::default(), FIXTURES);
}
