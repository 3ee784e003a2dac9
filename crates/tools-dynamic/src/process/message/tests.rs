//! Lines that are parsed, and lines that are not.

use super::{Answer, ProcessMessage, call, id_of_head};

#[track_caller]
fn check(line: &str, expected: Option<&str>) {
    let said = ProcessMessage::read(line.as_bytes()).map(|said| match said {
        ProcessMessage::Changed => "changed".to_owned(),
        ProcessMessage::Progress { id, text } => format!("{id} progress {text}"),
        ProcessMessage::Answer { id, answer: Answer::Text(text) } => format!("{id} text {text}"),
        ProcessMessage::Answer { id, answer: Answer::Error(text) } => format!("{id} error {text}"),
        ProcessMessage::Answer { id, answer: Answer::Tools(tools) } => format!("{id} tools {tools}"),
        ProcessMessage::Answer { id, answer: Answer::Content(pieces) } => {
            format!("{id} pieces {}", pieces.len())
        }
    });
    assert_eq!(said.as_deref(), expected, "{line}");
}

#[test]
fn a_line_is_parsed_as_exactly_one_message() {
    check(r#"{"changed":true}"#, Some("changed"));
    check(r#"{"id":1,"progress":"half"}"#, Some("1 progress half"));
    check(r#"{"id":2,"text":"","more":[1]}"#, Some("2 text "));
    check(r#"{"id":2,"error":"no"}"#, Some("2 error no"));
    check(r#"{"id":3,"tools":[ ]}"#, Some("3 tools [ ]"));
    check(r#"{"id":3,"content":[{"type":"text","text":"a"},{}]}"#, Some("3 pieces 2"));
    for nothing in [
        "",
        "Traceback (most recent call last):",
        "[]",
        "{}",
        "null",
        r#"{"id":1}"#,
        r#"{"text":"of nobody"}"#,
        r#"{"changed":false}"#,
        r#"{"id":1,"changed":true}"#,
        r#"{"id":"1","text":"a"}"#,
        r#"{"id":-1,"text":"a"}"#,
        r#"{"id":1,"text":"a","error":"b"}"#,
        r#"{"id":1,"text":"a","text":"b"}"#,
        r#"{"id":1,"progress":"a","text":"b"}"#,
        r#"{"id":1,"text":7}"#,
        r#"{"id":1,"text":"a"} {"id":2,"text":"b"}"#,
    ] {
        check(nothing, None);
    }
}

#[test]
fn the_top_level_id_of_an_oversized_line_is_found() {
    let check = |head: &str, expected| assert_eq!(id_of_head(head.as_bytes()), expected, "{head}");
    check(r#"{"id":7,"text":"aaaa"#, Some(7));
    check(r#" {"a":{"id":1},"id":8,"te"#, Some(8));
    check(r#"{"text":"aaaa"#, None);
    check(r#"{"text":{"id":1"#, None);
    check(r#"{"id":"7","text":"a"#, None);
    check("aaaa", None);
    check("[1", None);
}

#[test]
fn a_call_is_written_as_one_line_for_any_arguments() {
    let line = call(1, "a", "c\n1", "{\n  \"x\": \"a\\nb\"\r\n}");
    let text = String::from_utf8(line).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((value["arguments"]["x"].as_str(), value["call_id"].as_str()), (Some("a\nb"), Some("c\n1")));
}
