//! Streams that no recording has, written by hand from the public documentation, against their chunks.

use windlass_stream::Chunk;
use windlass_testkit::split;
use windlass_wire::{DecodeError, Limits, Wire};
use windlass_wire_openai_chat::OpenAiChat;

/// A stream and the chunks that it gives, one a line.
pub(crate) struct Fixture {
    name: &'static str,
    pub(crate) stream: &'static [u8],
    chunks: &'static str,
}

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

fn decode(pieces: &[&[u8]]) -> Result<Vec<Chunk>, DecodeError> {
    let mut decoder = OpenAiChat::default().decoder(Limits::default());
    let mut chunks = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut chunks)?;
    }
    decoder.finish(&mut chunks)?;
    Ok(chunks)
}

// P2 to P4, S1, S6, S7, S12, S14, S15
#[test]
fn streams_give_their_chunks_however_they_are_split() {
    for fixture in FIXTURES {
        let expected: Vec<Chunk> =
            fixture.chunks.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(decode(&[fixture.stream]).unwrap(), expected, "{}", fixture.name);
        for way in split::ways(fixture.stream) {
            assert_eq!(decode(&way).unwrap(), expected, "{} split", fixture.name);
        }
    }
}
