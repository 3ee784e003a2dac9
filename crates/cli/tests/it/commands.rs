//! The stages of the walk by hand.

use serde_json::{Value, json};

use crate::program::{Place, text, wire_formats};

/// A recorded answer of each format, from the wire crates' own fixtures.
fn fixtures() -> Vec<(&'static str, std::path::PathBuf)> {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for wire in wire_formats() {
        let folder = crates.join(format!("wire-{wire}/tests/data"));
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        found.extend(
            files.filter(|file| file.extension().is_some_and(|end| end == "sse")).map(|file| (wire, file)),
        );
    }
    found
}

fn lines(output: &std::process::Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// S14
#[test]
fn every_fixture_parses_alike_however_split_at_every_stage() {
    let place = Place::new();
    let fixtures = fixtures();
    assert!(fixtures.len() > 20, "the wire crates have fixtures");
    for (wire, file) in fixtures {
        let file = file.to_str().unwrap();
        for stage in ["sse", "chunk", "message"] {
            let whole = place.run(&["parse", "--wire", wire, "--stage", stage, file]);
            let bytes = place.run(&["parse", "--wire", wire, "--stage", stage, "--split", "1", file]);
            assert_eq!(text(&whole.stdout), text(&bytes.stdout), "{file} {stage}");
            assert_eq!(whole.status.code(), bytes.status.code(), "{file} {stage}");
        }
    }
}

#[test]
fn a_message_has_text_calls_finish_and_usage() {
    let place = Place::new();
    let sse = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\",\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\
        \"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\": 12345678901234567890123}\"}}]},\"finish_reason\":\"tool_calls\"}],\
        \"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n";
    let output = place.run_with_input(&["parse", "--wire", "openai-chat", "-"], sse);
    let told = text(&output.stdout);
    assert!(told.contains("12345678901234567890123"), "the digits are the model's own: {told}");
    let message: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(message["text"], "hi");
    assert_eq!(message["tool_calls"][0]["id"], "c1");
    assert_eq!(message["tool_calls"][0]["name"], "f");
    assert_eq!(message["finish"], "tool_calls");
    assert_eq!(message["usage"]["input_tokens"], 3);
    // command-line B21: a value that was not reported is not zero.
    let (before, _) = sse.split_once(",\"usage\"").unwrap();
    let silent = format!("{before}}}\n\ndata: [DONE]\n\n");
    let told = place.run_with_input(&["parse", "--wire", "openai-chat", "-"], &silent);
    let message: Value = serde_json::from_str(&text(&told.stdout)).unwrap();
    assert_eq!((&message["text"], &message["usage"]), (&json!("hi"), &Value::Null), "{message}");
    let calls = place.run_with_input(&["parse", "--wire", "openai-chat", "--stage", "call", "-"], sse);
    assert!(lines(&calls).iter().any(|line| line["event"] == "finished"), "{}", text(&calls.stdout));
}

#[test]
fn partial_json_is_printed_per_delta() {
    let place = Place::new();
    let output = place.run_with_input(&["json", "--deltas", "1"], r#"{"path": "ab", "n": 12}"#);
    let lines = lines(&output);
    assert_eq!(lines[9]["value"], json!({ "path": "" }));
    assert_eq!(lines[10]["value"], json!({ "path": "a" }));
    assert_eq!(lines[10]["events"], json!([{ "path": "/path", "grew": "a" }]));
    assert_eq!(lines.last().unwrap()["final"], json!({ "path": "ab", "n": 12 }));
}

#[test]
fn encode_shows_the_request_that_would_be_sent() {
    let place = Place::new();
    let request = r#"{"model":"m","messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]}]}"#;
    for (wire, path) in [
        ("openai-chat", "/chat/completions"),
        ("openai-responses", "/responses"),
        ("anthropic", "/v1/messages"),
    ] {
        let output = place.run_with_input(&["encode", "--wire", wire, "--json"], request);
        let http = &lines(&output)[0];
        assert_eq!((http["path"].as_str(), http["body"]["model"].as_str()), (Some(path), Some("m")));
    }
    let output = place.run_with_input(&["encode", "--wire", "gemini", "--json"], request);
    let http = &lines(&output)[0];
    assert_eq!(http["path"], "/models/m:streamGenerateContent?alt=sse");
    assert_eq!(http["body"], json!({ "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }] }));
}

#[test]
fn tools_are_listed_shown_and_called() {
    let place = Place::new();
    assert_eq!(lines(&place.run(&["tool", "list", "--preset", "minimal", "--json"])).len(), 4);
    let shown = place.run(&["tool", "show", "write_to_file", "--json"]);
    assert_eq!(lines(&shown)[0]["spec"]["function"]["name"], "write_file");
    let read = place.run(&["tool", "call", "read_file", r#"{"path":"a.txt"}"#, "--json"]);
    assert_eq!(lines(&read)[0]["status"], "ok");
    let write = ["tool", "call", "write_file", r#"{"path":"b.txt","content":"x\n"}"#];
    assert_eq!(place.run(&write).status.code(), Some(1), "policy asks");
    assert!(!place.project().join("b.txt").exists());
    let yes: Vec<&str> = write.iter().copied().chain(["--yes"]).collect();
    assert!(place.run(&yes).status.success());
    assert_eq!(std::fs::read_to_string(place.project().join("b.txt")).unwrap(), "x\n");
    let outside = place.run(&["tool", "call", "read_file", r#"{"path":"../../etc/passwd"}"#, "--yes"]);
    assert!(!outside.status.success() && text(&outside.stderr).contains("f.outside_read"));
}

#[test]
fn the_policy_explains_itself() {
    let place = Place::new();
    std::fs::write(
        place.project().join("p.toml"),
        "[[rule]]\nid='docs'\naction='allow'\neffect='write'\npath='docs/**'\n",
    )
    .unwrap();
    let calls = [
        r#"{"tool":"read_file","input":{"path":"a.txt"}}"#,
        r#"{"name":"write_file","arguments":"{\"path\":\"docs/a.md\",\"content\":\"x\"}"}"#,
        r#"{"tool":"write_to_file","input":{"path":"src/a.rs","content":"x"}}"#,
        r#"{"tool":"write_file","input":{"path":"/etc/passwd","content":"x"}}"#,
        r#"{"tool":"run_command","input":{"command":"rm -rf /"}}"#,
        r#"{"tool":"write_file","input":{"path":3}}"#,
        r#"{"tool":"fly","input":{}}"#,
    ];
    let output = place.run_with_input(&["policy", "explain", "--policy", "p.toml"], &calls.join("\n"));
    let told: Vec<_> = lines(&output)
        .iter()
        .map(|line| format!("{} {}", line["decision"].as_str().unwrap(), line["rule_id"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            "allow b.read",
            "allow docs",
            "ask d.ask",
            "deny f.outside_write",
            // The folder of settings goes with it.
            "deny f.own_policy",
            "deny v.schema",
            "deny v.unknown_tool",
        ]
    );
}

#[test]
fn every_subcommand_help_has_an_example() {
    let place = Place::new();
    for command in [
        ["demo"].as_slice(),
        &["run"],
        &["parse"],
        &["json"],
        &["encode"],
        &["tool"],
        &["policy", "explain"],
        &["mock"],
    ] {
        let arguments: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let output = place.run(&arguments);
        assert!(output.status.success() && text(&output.stdout).contains("Example: "), "{command:?}");
    }
}
