//! Tests with the official clients of both protocols.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use windlass_testkit::{Need, require};
use windlass_ui_stream::{AI_SDK_DONE, AI_SDK_HEADER, AgUiEncoder, AiSdkEncoder, AiSdkVersion, to_sse};

use crate::ai_sdk::parallel_calls;
use crate::feeds::FeedWriter;

/// Returns the folder in which the packages of `tests/npm/package.json` are installed: the value of the variable
/// `WINDLASS_UI_CLIENTS`, or `tests/npm`.
fn packages() -> Result<PathBuf, String> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm");
    let folder = std::env::var_os("WINDLASS_UI_CLIENTS").map_or(scripts, PathBuf::from);
    let found = folder.join("node_modules/@ag-ui/client/package.json").is_file();
    if found { Ok(folder) } else { Err("run npm install in crates/ui-stream/tests/npm".to_owned()) }
}

/// Returns the two parts of a run: two parallel calls of which one is denied and one waits, and the rest after the
/// run was resumed. A failed attempt comes first.
fn two_parts() -> (FeedWriter, usize) {
    let mut feed = FeedWriter::default();
    feed.push(json!({ "kind": "turn_started", "turn": 1 }));
    feed.push(json!({ "kind": "text_delta", "turn": 1, "index": 0, "offset": 0, "text": "I will" }));
    feed.push(json!({ "kind": "retry", "reason": "cut", "delay_ms": 5 }));
    for event in parallel_calls().events {
        let mut kind = serde_json::to_value(&event.kind).unwrap();
        kind["at_ms"] = event.at_ms.into();
        feed.push(kind);
    }
    feed.answer("c-1", "denied");
    feed.result("c-1", "denied");
    feed.end(&json!({ "state": "suspended", "questions": ["q-c-2"], "results": [] }));
    let end = feed.events.len();
    feed.push(json!({ "kind": "run_resumed", "generation": 1 }));
    feed.answer("c-2", "approved");
    feed.push(json!({ "kind": "call_running", "call": "c-2" }));
    feed.push(json!({ "kind": "call_output", "call": "c-2", "text": "half" }));
    feed.result("c-2", "ok");
    feed.push(json!({ "kind": "turn_diff", "turn": 1, "diff": "+line" }));
    feed.push(json!({ "kind": "turn_started", "turn": 2 }));
    feed.push(json!({ "kind": "reasoning_delta", "turn": 2, "index": 0, "offset": 0, "text": "So it is" }));
    feed.push(json!({ "kind": "reasoning", "turn": 2, "text": "So it is." }));
    feed.push(json!({ "kind": "text", "turn": 2, "text": "One edit was made." }));
    let tokens = FeedWriter::tokens();
    feed.push(json!({ "kind": "turn_ended", "turn": 2, "usage": tokens, "total": tokens }));
    feed.push_agent(json!({ "kind": "text", "turn": 1, "text": "helped" }));
    feed.end(&json!({ "state": "completed", "text": "One edit was made." }));
    (feed, end)
}

fn chat_streams(version: AiSdkVersion) -> Vec<String> {
    let (feed, end) = two_parts();
    let at = feed.events[end - 1].seq;
    [(0, end), (at, feed.events.len())]
        .iter()
        .map(|(at, end)| {
            let mut encoder = AiSdkEncoder::new("r").with_version(version).with_client_at(*at);
            let chunks = feed.events.iter().take(*end).flat_map(|event| encoder.push(event));
            chunks.map(|chunk| to_sse(&chunk)).collect::<String>() + AI_SDK_DONE
        })
        .collect()
}

fn ag_ui_streams() -> Vec<String> {
    let (feed, end) = two_parts();
    let at = feed.events[end - 1].seq;
    [(0, end, "run-1"), (at, feed.events.len(), "run-2")]
        .iter()
        .map(|(at, end, run)| {
            let mut encoder = AgUiEncoder::new("r").with_ids("t", *run).with_client_at(*at);
            let events = feed.events.iter().take(*end).flat_map(|event| encoder.push(event));
            events.map(|event| to_sse(&event)).collect()
        })
        .collect()
}

/// Runs the script with the streams, and returns the values that the clients decoded.
fn read(packages: &Path) -> Value {
    let input = json!({
        "headers": { AI_SDK_HEADER.0: AI_SDK_HEADER.1 },
        "v6": chat_streams(AiSdkVersion::V6), "v7": chat_streams(AiSdkVersion::V7), "agUi": ag_ui_streams(),
    });
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(input.to_string().as_bytes()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm/read.mjs");
    let mut command = Command::new("node");
    command.arg(script).arg(file.path()).env("WINDLASS_UI_CLIENTS", packages);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_official_clients_read_a_run_that_was_suspended_and_resumed() {
    require!(Need::Node, Command::new("node").arg("--version").output());
    let packages = require!(Need::UiClients, packages());
    let result = read(&packages);
    for version in ["v6", "v7"] {
        let message = &result[version];
        println!("{version}: {message}");
        let parts = message["parts"].as_array().unwrap();
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(texts, ["I edit both.", "So it is.", "One edit was made."], "{version}");
        let states: Vec<&str> = parts
            .iter()
            .filter(|part| part["type"] == "dynamic-tool")
            .filter_map(|part| part["state"].as_str())
            .collect();
        assert_eq!(states, ["output-denied", "output-available"], "{version}");
        assert_eq!(message["id"], "r");
        assert_eq!(message["metadata"]["state"], "completed");
        assert!(parts.iter().any(|part| part["type"] == "data-diff"), "{version}");
    }
    let ag_ui = &result["agUi"];
    println!("AG-UI: {ag_ui}");
    assert_eq!(ag_ui["runs"][0]["interrupts"], json!(["q-c-2"]));
    assert_eq!(ag_ui["runs"][1]["interrupts"], json!([]));
    let results = ag_ui["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let results: Vec<&str> = results.filter_map(|message| message["content"].as_str()).collect();
    assert_eq!(results, ["denied of c-1", "ok of c-2"]);
    assert_eq!(ag_ui["state"]["windlass"]["run"], "r");
}
