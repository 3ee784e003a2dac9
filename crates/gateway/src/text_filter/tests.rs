//! Tests of the changes of an answer's text, however it is split.

use windlass_protocol::{StopReason, Usage};
use windlass_stream::Chunk;

use super::TextFilter;

/// Returns the text and the finish of an answer in pieces of `size` letters.
fn filter(
    text: &str,
    size: usize,
    sequences: &[&str],
    is_json: bool,
) -> (String, Option<(StopReason, String)>) {
    let sequences = sequences.iter().map(|sequence| (*sequence).to_owned()).collect();
    let (mut filter, mut out) = (TextFilter::new(sequences, is_json), Vec::new());
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size) {
        filter.push(Chunk::Text { text: piece.iter().collect() }, &mut out);
        filter.push(Chunk::Usage { usage: Usage::default() }, &mut out);
    }
    filter.push(Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() }, &mut out);
    let (mut text, mut finish) = (String::new(), None);
    for chunk in out {
        match chunk {
            Chunk::Text { text: more } => text.push_str(&more),
            Chunk::Finish { reason, raw } => finish = Some((reason, raw)),
            _ => {}
        }
    }
    (text, finish)
}

#[test]
fn an_answer_is_cut_at_the_first_sequence_however_it_is_split() {
    for size in 1..12 {
        for (text, sequences, expected) in [
            ("one ENDING two", &["END"][..], ("one ", Some("END"))),
            ("aab", &["ab"][..], ("a", Some("ab"))),
            ("one \u{1f980}stop", &["stop", "\u{1f980}"][..], ("one ", Some("\u{1f980}"))),
            ("xEND", &["ENDING", "END"][..], ("x", Some("END"))),
            ("one EN", &["END", ""][..], ("one EN", None)),
            ("one", &[][..], ("one", None)),
        ] {
            let (shown, finish) = filter(text, size, sequences, false);
            let expected_finish = match expected.1 {
                Some(sequence) => (StopReason::StopSequence, sequence.to_owned()),
                None => (StopReason::End, "stop".to_owned()),
            };
            assert_eq!((shown.as_str(), finish), (expected.0, Some(expected_finish)), "{text} in {size}");
        }
    }
}

#[test]
fn a_fence_around_json_is_removed_and_other_text_stays() {
    for size in 1..12 {
        for (text, expected) in [
            ("```json\n{\"a\": 1}\n```\n", "{\"a\": 1}"),
            ("\n```\n{\"a\": \"``` `\"}\n```", "{\"a\": \"``` `\"}"),
            ("{\"a\": \"```\"}", "{\"a\": \"```\"}"),
            ("``", "``"),
            ("", ""),
        ] {
            assert_eq!(filter(text, size, &[], true).0, expected, "{text} in {size}");
        }
        assert_eq!(filter("```json\n{\"a\": END", size, &["END"], true).0, "{\"a\": ");
    }
}
