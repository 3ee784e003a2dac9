//! `json`, `encode`, `tool` and `policy`: the parts of the program by hand.

use std::fs;

use serde_json::{Value, json};

use crate::windlass::Windlass;

#[track_caller]
fn lines(windlass: &Windlass, arguments: &[&str], input: &str) -> Vec<Value> {
    let ended = windlass.run_with(arguments, &[], input);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.out);
    ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_is_shown_as_it_grows() {
    let text = "{\"path\": \"a\\n🏠\", \"n\": [1.50]}";
    let lines = lines(&Windlass::new(), &["json", "--deltas", "1"], text);
    assert_eq!(lines.len(), text.chars().count() + 1);
    let deltas: String = lines.iter().filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(deltas, text);
    assert_eq!(lines[11]["value"], json!({ "path": "a" }));
    assert_eq!(
        (&lines[11]["status"], &lines[text.chars().count() - 1]["status"]),
        (&json!("incomplete"), &json!("complete"))
    );
    assert_eq!(lines.last().unwrap()["final"], json!({ "path": "a\n🏠", "n": [1.5] }));
}

#[test]
fn a_request_is_encoded_for_both_formats() {
    let windlass = Windlass::new();
    let request = r#"{"model":"m","max_output_tokens":9,"messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]}]}"#;
    for (wire, path) in [("openai-chat", "/chat/completions"), ("anthropic", "/v1/messages")] {
        let line = &lines(&windlass, &["encode", "--wire", wire, "--json"], request)[0];
        assert_eq!((&line["method"], &line["path"]), (&json!("POST"), &json!(path)));
        assert_eq!(line["headers"]["content-type"], "application/json");
        assert_eq!(line["body"]["model"], "m");
        assert!(line["body"]["messages"].to_string().contains("hi"), "{line}");
        let ended = windlass.run_with(&["encode", "--wire", wire], &[], request);
        assert!(ended.out.starts_with(&format!("POST {path}\n")), "{}", ended.out);
        assert_eq!(serde_json::from_str::<Value>(ended.out.lines().last().unwrap()).unwrap(), line["body"]);
    }
}

#[test]
fn tools_are_listed_and_shown() {
    let windlass = Windlass::new();
    let names = |preset| -> Vec<Value> {
        let lines = lines(&windlass, &["tool", "list", "--json", "--preset", preset], "");
        lines.iter().map(|line| line["name"].clone()).collect()
    };
    let (minimal, standard, full) = (names("minimal"), names("standard"), names("full"));
    assert!(minimal.len() < standard.len() && standard.len() <= full.len());
    assert!(minimal.contains(&json!("read_file")) && full.contains(&json!("run_command")));
    for name in &full {
        let name = name.as_str().unwrap();
        let shown = &lines(&windlass, &["tool", "show", name, "--json"], "")[0];
        assert!(shown["spec"].to_string().contains(name), "{shown}");
    }
    let ended = windlass.run(&["tool", "show", "read_file"]);
    assert!(ended.out.starts_with("read_file\n") && ended.out.contains("\"path\""), "{}", ended.out);
}

#[test]
fn a_tool_is_called_by_hand() {
    let windlass = Windlass::new();
    windlass.file("a.txt", "the words of a\n");
    let ended = windlass.run(&["tool", "call", "read_file", "{\"path\":\"a.txt\"}"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.out.contains("the words of a"), "{}", ended.out);
    let line = &lines(&windlass, &["tool", "call", "read_file", "-", "--json"], "{\"path\":\"a.txt\"}")[0];
    assert_eq!(line["status"], "ok");
    assert!(line["decision"].is_object(), "{line}");
}

#[test]
fn a_call_that_needs_a_yes_waits_for_it() {
    let windlass = Windlass::new();
    let write = ["tool", "call", "write_file", "{\"path\":\"b.txt\",\"content\":\"b\"}"];
    let ended = windlass.run(&write);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.err.contains("--yes"), "{}", ended.err);
    assert!(!windlass.root().join("b.txt").exists());
    let ended = windlass.run(&[&write[..], &["--yes"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(fs::read_to_string(windlass.root().join("b.txt")).unwrap(), "b");
    let outside = ["tool", "call", "write_file", "{\"path\":\"../c.txt\",\"content\":\"c\"}", "--yes"];
    assert_eq!(windlass.run(&outside).code, Some(1));
    assert!(!windlass.root().join("../c.txt").exists());
}

#[test]
fn policy_explains_both_forms_of_a_call_alike() {
    let windlass = Windlass::new();
    let forms = concat!(
        "{\"tool\":\"run_command\",\"input\":{\"command\":\"rm -rf /\"}}\n\n",
        "{\"name\":\"run_command\",\"arguments\":\"{\\\"command\\\":\\\"rm -rf /\\\"}\",\"id\":\"c1\"}\n",
        "{\"name\":\"run_command\",\"arguments\":{\"command\":\"rm -rf /\"}}\n",
    );
    let told = lines(&windlass, &["policy", "explain"], forms);
    assert_eq!(told.len(), 3);
    assert_eq!((&told[0], &told[0]), (&told[1], &told[2]));
    assert!(told[0]["decision"] != "allow" && told[0]["rule_id"].is_string(), "{}", told[0]);
    assert_eq!(windlass.run(&["policy", "explain", "--json"]).code, Some(0));
}

#[test]
fn policy_says_which_rule_decides() {
    let windlass = Windlass::new();
    let calls = concat!(
        "{\"tool\":\"read_file\",\"input\":{\"path\":\"a.txt\"}}\n",
        "{\"tool\":\"fly\",\"input\":{}}\n",
        "{\"tool\":\"read_file\",\"input\":{}}\n",
        "{\"tool\":\"read_file\",\"input\":\"{\\\"path\\\":\"}\n",
    );
    let told = lines(&windlass, &["policy", "explain"], calls);
    let decisions: Vec<_> = told.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["allow", "deny", "deny", "deny"]);
    let rules: Vec<_> = told.iter().skip(1).map(|line| line["rule_id"].as_str().unwrap()).collect();
    assert_eq!(rules, ["v.unknown_tool", "v.schema", "v.schema"]);
    assert!(!told[0]["trace"].as_array().unwrap().is_empty(), "{}", told[0]);
}
