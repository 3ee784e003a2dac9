//! Compares steps with events: both report the same values in the same order. Steps have no paths, and any number of
//! readers can request them.

use proptest::prelude::*;
use windlass_partial_json::{Bookmark, Event, JsonChange, Node, Parser};

/// The steps of a text that is cut at these places, as lines.
fn steps(deltas: &[&str]) -> Vec<String> {
    let (mut parser, mut bookmark, mut seen) = (Parser::new(), Bookmark::default(), Vec::new());
    for delta in deltas {
        let _ = parser.push(delta);
        for step in parser.snapshot().steps(&mut bookmark) {
            let depth = step.depth;
            seen.push(match step.change {
                JsonChange::Begin { key, value } => format!("{depth} {key} {:?} begins", value.kind()),
                JsonChange::Grow { text } => format!("{depth} + {text}"),
                JsonChange::End { value } => format!("{depth} {} ends", value.path()),
                JsonChange::Whole { key, value } => format!("{depth} {key} {} whole", value.path()),
            });
        }
    }
    seen
}

#[track_caller]
fn check(deltas: &[&str], expected: &[&str]) {
    assert_eq!(steps(deltas), expected);
}

#[test]
fn a_value_is_emitted_as_begin_pieces_and_end_or_whole() {
    check(
        &["{\"a\": \"x", "y\"}"],
        &["0  Object begins", "1 a String begins", "1 + x", "1 + y", "1 /a ends", "0  ends"],
    );
    check(&["{\"a\": \"xy\"}"], &["0  Object begins", "1 a /a whole", "0  ends"]);
    check(&["[1", "2, tr", "ue", "]"], &["0  Array begins", "1  /0 whole", "1  /1 whole", "0  ends"]);
    check(
        &["{\"a~/\": {\"b\": []"],
        &["0  Object begins", "1 a~/ Object begins", "2 b Array begins", "2 /a~0~1/b ends"],
    );
    check(&["\"\"", " "], &["0   whole"]);
    check(&["", "12", " "], &["0   whole"]);
    check(&["[\"a\" x"], &["0  Array begins", "1  /0 whole"]);
}

/// All values by path in the order in which they become complete, with the text of strings as emitted.
fn whole_by_events(text: &str) -> Vec<String> {
    let (mut parser, mut seen) = (Parser::new(), Vec::new());
    let _ = parser.push(text);
    parser.drain_events(|event| {
        if let Event::Complete { path, value } = event {
            seen.push(line(path, value));
        }
    });
    seen
}

fn whole_by_steps(text: &str, bytes: usize) -> Vec<String> {
    let (mut parser, mut bookmark, mut seen) = (Parser::new(), Bookmark::default(), Vec::new());
    let mut grown = String::new();
    for piece in text.as_bytes().chunks(bytes) {
        let _ = parser.push_bytes(piece);
        for step in parser.snapshot().steps(&mut bookmark) {
            match step.change {
                JsonChange::Begin { .. } => grown.clear(),
                JsonChange::Grow { text } => grown.push_str(text),
                JsonChange::End { value } => {
                    assert!(value.as_str().is_none_or(|text| text == grown));
                    seen.push(line(&value.path(), value));
                }
                JsonChange::Whole { value, .. } => seen.push(line(&value.path(), value)),
            }
        }
    }
    seen
}

fn line(path: &str, value: Node<'_>) -> String {
    format!("{path} {:?}", value.to_value())
}

proptest! {
    // S14, J2: steps and events complete the same values in the same order, wherever the text is cut.
    #[test]
    fn steps_and_events_agree(text in "[\\[{\"a,:1 }\\]\\\\é😀tfn-]{0,60}", bytes in 1_usize..9) {
        prop_assert_eq!(whole_by_steps(&text, bytes), whole_by_events(&text));
    }

    #[test]
    fn steps_and_events_agree_on_complete_objects(
        keys in prop::collection::vec(("[a~/é]{0,3}", "\\PC{0,6}", -9_i64..999), 0..6),
        bytes in 1_usize..9,
    ) {
        let members: Vec<String> = keys
            .iter()
            .map(|(key, text, number)| {
                let (key, text) = (serde_json::json!(key), serde_json::json!(text));
                format!("{key}: [{number}, {text}, {{{key}: {text}}}, []]")
            })
            .collect();
        let text = format!("{{{}}}", members.join(", "));
        prop_assert_eq!(whole_by_steps(&text, bytes), whole_by_events(&text));
    }
}
