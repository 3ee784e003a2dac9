//! The text of a model, through `windlass parse --wire text`.

use serde_json::{Value, json};

use crate::program::{Place, text};

fn lines(output: &std::process::Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const ANSWER: &str =
    "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n";

#[test]
fn a_text_answer_is_parsed_into_text_and_calls() {
    let place = Place::new();
    let output = place.run_with_input(&["parse", "--wire", "text", "-"], ANSWER);
    let id = json!("text_0");
    let call = json!({ "id": id, "name": "read", "arguments": { "path": "a" } });
    assert_eq!(lines(&output), [json!({ "text": "I look.\n", "tool_calls": [call] })]);
    assert!(output.status.success());
}

// S14
#[test]
fn parsed_text_does_not_depend_on_the_split() {
    let place = Place::new();
    let whole = place.run_with_input(&["parse", "--wire", "text", "-"], ANSWER);
    for size in ["1", "2", "7"] {
        let split = place.run_with_input(&["parse", "--wire", "text", "--split", size, "-"], ANSWER);
        assert_eq!(text(&split.stdout), text(&whole.stdout), "--split {size}");
    }
}

#[test]
fn every_stage_shows_the_call() {
    let place = Place::new();
    for (stage, sign) in [("chunk", "\"piece\":\"start\""), ("call", "\"event\":\"finished\"")] {
        let output = place.run_with_input(&["parse", "--wire", "text", "--stage", stage, "-"], ANSWER);
        assert!(text(&output.stdout).contains(sign), "{stage}: {}", text(&output.stdout));
    }
    let output = place.run_with_input(&["parse", "--wire", "text", "--stage", "sse", "-"], ANSWER);
    assert!(!output.status.success());
}

// X1
#[test]
fn only_tools_on_offer_are_calls() {
    let place = Place::new();
    let file = place.project().join("tools.json");
    let tools = [
        json!(["write"]),
        json!([{ "name": "write", "input_schema": { "type": "object" } }]),
        json!([{ "type": "function", "function": { "name": "write", "parameters": { "type": "object" } } }]),
    ];
    for tools in tools {
        std::fs::write(&file, tools.to_string()).unwrap();
        let output = place.run_with_input(&["parse", "--wire", "text", "--tools", "tools.json", "-"], ANSWER);
        assert_eq!(lines(&output), [json!({ "text": ANSWER, "tool_calls": [] })], "{tools}");
    }
    std::fs::write(&file, "{\"write\": 1}").unwrap();
    let output = place.run_with_input(&["parse", "--wire", "text", "--tools", "tools.json", "-"], ANSWER);
    assert!(text(&output.stderr).contains("tools.json"), "{}", text(&output.stderr));
}

#[test]
fn an_invalid_line_is_reported_and_the_others_are_read() {
    let place = Place::new();
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let rows = [
        json!({ "input": "<f><n>1</n></f>", "tools": [{ "name": "f", "parameters": schema }] }).to_string(),
        "{".to_owned(),
        json!({ "input": "[f(n=2)]", "dialect": "pythonic" }).to_string(),
        json!({ "input": "x", "tools": [1] }).to_string(),
    ];
    let output = place.run_with_input(&["parse", "--wire", "text", "--jsonl", "-"], &rows.join("\n"));
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!((&lines[0]["line"], &lines[0]["tool_calls"][0]["arguments"]), (&json!(1), &json!({ "n": 1 })));
    assert_eq!(lines[1]["line"], 2);
    assert!(lines[1]["error"].is_string() && lines[3]["error"].is_string());
    assert_eq!(lines[2]["tool_calls"][0]["arguments"], json!({ "n": 2 }));
}

#[test]
fn parameters_keep_the_order_of_their_schema() {
    let place = Place::new();
    let row = r#"{"input": "[f(1, 2)]", "dialect": "pythonic", "tools": [{"type": "function", "function":
        {"name": "f", "parameters": {"type": "object", "properties": {"z": {}, "a": {}}}}}]}"#;
    let output = place.run_with_input(&["parse", "--wire", "text", "--jsonl", "-"], &row.replace('\n', " "));
    assert!(text(&output.stdout).contains(r#"{"z":1,"a":2}"#), "{}", text(&output.stdout));
}

// S10
#[test]
fn a_cut_call_is_reported_as_malformed() {
    let place = Place::new();
    let output = place.run_with_input(&["parse", "--wire", "text", "-"], &ANSWER[..60]);
    assert!(lines(&output)[0]["tool_calls"][0]["malformed"].is_string(), "{}", text(&output.stdout));
}

#[test]
fn reasoning_is_split_off_or_kept() {
    let place = Place::new();
    let input = "<think>hm</think>yes";
    let split = lines(&place.run_with_input(&["parse", "--wire", "text", "-"], input));
    assert_eq!(split, [json!({ "text": "yes", "reasoning": "hm", "tool_calls": [] })]);
    let keep = lines(&place.run_with_input(&["parse", "--wire", "text", "--thoughts", "keep", "-"], input));
    assert_eq!(keep, [json!({ "text": input, "tool_calls": [] })]);
}
