//! `SCRIPT.md` documents the input that the parser accepts.

use std::collections::BTreeSet;

use windlass_mock::Script;

const PAGE: &str = include_str!("../../SCRIPT.md");

/// Returns the names in backticks that start the rows of the tables below a heading.
fn documented(heading: &str) -> BTreeSet<&'static str> {
    let (_, section) = PAGE.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

/// Returns the names in backticks that the error for an unknown name lists as known.
fn known(with_unknown_name: &str) -> BTreeSet<String> {
    let error = Script::parse(with_unknown_name).unwrap_err().to_string();
    let (_, names) = error.split_once(", expected ").unwrap();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[track_caller]
fn check(heading: &str, with_unknown_names: &[&str]) {
    let known: BTreeSet<String> = with_unknown_names.iter().flat_map(|text| known(text)).collect();
    let documented: BTreeSet<String> = documented(heading).into_iter().map(str::to_owned).collect();
    assert_eq!(documented, known, "the tables below {heading:?}");
}

#[test]
fn the_page_lists_the_fields_of_the_parser() {
    check("Script", &[r#"{"?": 1}"#]);
    check("Turn", &[r#"{"turns": [{"?": 1}]}"#]);
    check("Step", &[r#"{"turns": [{"steps": [{"?": 1}]}]}"#]);
    check("Call", &[r#"{"turns": [{"steps": [{"call": {"?": 1}}]}]}"#]);
    check("Usage", &[r#"{"turns": [{"usage": {"?": 1}}]}"#]);
    let (field, switch) =
        (r#"{"turns": [{"hostile": {"?": 1}}]}"#, r#"{"turns": [{"hostile": {"switch": "?"}}]}"#);
    check("Fault", &[field, switch]);
}

#[test]
fn every_example_of_the_page_is_a_script() {
    let examples: Vec<&str> =
        PAGE.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let script = Script::parse(example).unwrap();
        assert!(!script.turns.is_empty(), "{example}");
    }
}

#[test]
fn the_defaults_of_the_page_are_those_of_the_parser() {
    let script = Script::parse(r#"{"turns": [{"steps": [{"call": {"name": "a"}}]}]}"#).unwrap();
    assert!(PAGE.contains(&format!("| `{}` |", script.fallback)));
    let turn = &script.turns[0];
    assert!(PAGE.contains(&format!("in a delta | {} |", turn.piece)));
    assert_eq!(turn.calls().next().unwrap().arguments_text(), "{}");
    let script = Script::parse(r#"{"turns": [{"steps": [], "hostile": {"switch": "cut"}}]}"#).unwrap();
    let fault = script.turns[0].hostile.as_ref().unwrap();
    assert!(PAGE.contains(&format!("`error_mid_stream` | {} |", fault.after_bytes)));
}
