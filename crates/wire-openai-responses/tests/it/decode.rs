//! Streams that no recording has, written by hand from the public documentation, against their chunks.

use windlass_testkit::wire_suite::{Fixture, check_streams};
use windlass_wire_openai_responses::OpenAiResponses;

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
    fixture!("byte_order_mark"),
    fixture!("calls_of_other_forms"),
    fixture!("content_filter"),
    fixture!("copied_frames"),
    fixture!("custom_tool"),
    fixture!("custom_tool_cut"),
    fixture!("custom_tool_dropped"),
    fixture!("cut_last_line"),
    fixture!("dropped"),
    fixture!("error_and_failed"),
    fixture!("error_of_a_gateway"),
    fixture!("failed_in_a_call"),
    fixture!("function_cut"),
    fixture!("hosted_tools"),
    fixture!("late_names_and_empty_ids"),
    fixture!("local_shell_cut"),
    fixture!("lone_surrogates"),
    fixture!("mixed_line_ends"),
    fixture!("new_ids_in_each_event"),
    fixture!("no_beginnings"),
    fixture!("no_item_ends"),
    fixture!("no_places"),
    fixture!("only_done_events"),
    fixture!("only_the_completed_response"),
    fixture!("parallel_calls"),
    fixture!("parts_counted_from_one"),
    fixture!("phases"),
    fixture!("plain_json_body"),
    fixture!("plain_json_error"),
    fixture!("reasoning_parts"),
    fixture!("refusal"),
    fixture!("second_response"),
    fixture!("text_and_citations"),
    fixture!("unknown_events"),
    fixture!("unterminated_last_line"),
    fixture!("whole_response_as_an_event"),
];

// P2 to P4, S1, S6, S7, S12, S14, S15
#[test]
fn streams_give_their_chunks_however_they_are_split() {
    check_streams(&OpenAiResponses::default(), FIXTURES);
}
