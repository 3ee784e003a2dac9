//! Streams that no recording has, written by hand from the public documentation, against their chunks.

use windlass_testkit::wire_suite::{Fixture, check_streams};
use windlass_wire_anthropic::Anthropic;

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
    fixture!("cached_usage"),
    fixture!("call_with_placeholder"),
    fixture!("call_without_input"),
    fixture!("content_in_message_start"),
    fixture!("cut_by_the_token_limit"),
    fixture!("dropped"),
    fixture!("error_in_mid_stream"),
    fixture!("input_in_start"),
    fixture!("lone_surrogates"),
    fixture!("no_event_names_and_crlf"),
    fixture!("no_reason"),
    fixture!("plain_json_body"),
    fixture!("plain_json_error"),
    fixture!("programmatic_caller"),
    fixture!("second_message"),
    fixture!("server_tool"),
    fixture!("thinking"),
    fixture!("unknown_block_and_events"),
    fixture!("unterminated_last_line"),
];

// P2 to P4, S1, S6, S7, S12, S14, S15
#[test]
fn streams_give_their_chunks_however_they_are_split() {
    check_streams(&Anthropic::default(), FIXTURES);
}
