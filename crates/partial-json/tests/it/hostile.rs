//! Hostile texts: each ends in a result or a typed error, in time proportional to its length. A quadratic
//! algorithm would not end on them in reasonable time.

use std::fmt::Write;

use windlass_partial_json::{ErrorKind, Kind, Parser};

/// Pushes the text in deltas of `bytes` bytes, and reads the value after each.
#[track_caller]
fn push_and_look(text: &str, step: usize) -> Parser {
    let mut parser = Parser::new();
    let mut events = 0usize;
    for part in text.as_bytes().chunks(step) {
        parser.push_bytes(part).unwrap();
        assert!(parser.snapshot().root().is_some());
        parser.drain_events(|_| events += 1);
    }
    assert!(events > 0);
    parser
}

#[test]
fn a_hundred_thousand_open_brackets_are_an_error() {
    // J7
    for bracket in ["[", "{\"a\":"] {
        let mut parser = Parser::new();
        let error = parser.push(&bracket.repeat(100_000)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooDeep);
        assert_eq!(parser.finish().unwrap_err(), error);
    }
}

#[test]
fn a_number_of_ten_megabytes_is_read_once() {
    // J2
    let text = format!("[{}]", "1".repeat(10_000_000));
    let parser = push_and_look(&text, 4_096);
    assert_eq!(parser.snapshot().pointer("/0").unwrap().number_text().map(str::len), Some(10_000_000));
    assert_eq!(parser.finish().unwrap_err().kind(), ErrorKind::NumberOutOfRange);
    let text = format!("0.{}", "1".repeat(10_000_000));
    assert!(push_and_look(&text, 4_096).finish().unwrap().is_f64());
}

#[test]
fn a_million_keys_are_a_million_members() {
    // J2, J7
    let mut text = String::from("{");
    for key in 0..1_000_000 {
        let _ = write!(text, "{}\"k{key}\":0", if key == 0 { "" } else { "," });
    }
    text.push_str(",\"k0\":1}");
    let parser = push_and_look(&text, 16);
    let root = parser.snapshot().root().unwrap();
    assert_eq!((root.len(), parser.duplicates()), (1_000_000, 1));
    assert_eq!(root.members().last().unwrap().0, "k0");
    assert_eq!(parser.finish().unwrap().as_object().unwrap().len(), 1_000_000);
}

#[test]
fn a_million_equal_keys_are_one_member() {
    // J7
    let text = format!("{{{}\"same\":1}}", "\"same\":0,".repeat(1_000_000));
    let parser = push_and_look(&text, 64);
    assert_eq!((parser.snapshot().root().unwrap().len(), parser.duplicates()), (1, 1_000_000));
}

#[test]
fn a_string_of_fifty_megabytes_grows_by_deltas() {
    // J2
    let text = format!("\"{}\"", "content ".repeat(6_250_000));
    let parser = push_and_look(&text, 64);
    assert_eq!(parser.finish().unwrap().as_str().unwrap().len(), 50_000_000);
}

#[test]
fn megabytes_of_control_characters_are_counted_in_one_push() {
    // J2, J7a
    let text = format!("\"{}", "\n".repeat(2_000_000));
    assert_eq!(push_and_look(&text, usize::MAX).forgiven(), 2_000_000);
    let text = format!("\"{}", format!("{}\n", "x".repeat(40)).repeat(50_000));
    assert_eq!(push_and_look(&text, usize::MAX).forgiven(), 50_000);
}

#[test]
fn megabytes_of_lone_surrogates_are_replaced() {
    let text = format!("\"{}\"", "\\ud800".repeat(500_000));
    let parser = push_and_look(&text, 10);
    let root = parser.snapshot().root().unwrap();
    assert_eq!(root.kind(), Kind::String);
    assert_eq!(root.as_str().unwrap().chars().count(), 500_000);
}
