//! `windlass acp` as an editor starts it.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Place, provider, text};

const WRITES: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "b.txt", "content": "two\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn acp_writes_only_the_protocol_to_standard_output() {
    let place = Place::new();
    let provider = provider(WRITES).await;
    let mut command = place.command(&["acp", "--base-url", &format!("{}/v1", provider.base_url())]);
    command.args(["--model", "scripted-1", "--sandbox", "off", "--no-mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut say = |message: Value| input.write_all(format!("{message}\n").as_bytes()).unwrap();
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}));
    let folder = place.project();
    say(
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": folder, "mcpServers": []}}),
    );
    let mut end = Value::Null;
    for line in BufReader::new(output).lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        if message["method"] == "session/request_permission" {
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": "once"}});
            say(json!({"jsonrpc": "2.0", "id": message["id"], "result": outcome}));
        } else if message["id"] == 2 {
            let prompt = json!([{"type": "text", "text": "write b.txt"}]);
            let params = json!({"sessionId": message["result"]["sessionId"], "prompt": prompt});
            say(json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": params}));
        } else if message["id"] == 3 {
            end = message;
            break;
        }
    }
    assert_eq!(end["result"]["stopReason"], "end_turn", "{end}");
    assert_eq!(std::fs::read_to_string(place.project().join("b.txt")).unwrap(), "two\n");
    drop(input);
    assert!(child.wait().unwrap().success());
    let listed = place.run(&["sessions", "list"]);
    assert!(text(&listed.stdout).contains("write b.txt"), "{}", text(&listed.stdout));
    provider.shutdown().await;
}

#[test]
fn an_editor_reads_which_setting_is_missing() {
    let place = Place::new();
    let mut command = place.command(&["acp", "--model", "some-model"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for (id, method) in [(1, "initialize"), (2, "session/new")] {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}});
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    let about = answers[0]["result"]["authMethods"][0]["description"].as_str().unwrap();
    assert_eq!(answers[1]["error"]["code"], -32_000);
    assert_eq!(answers[1]["error"]["message"], about);
    // The command ends with the same error.
    assert!(!output.status.success());
    assert!(about.contains("provider") && text(&output.stderr).contains("provider"), "{about}");
}

#[test]
fn options_that_an_editor_replaces_are_refused() {
    let place = Place::new();
    let refused = place.run(&["acp", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--yes"]);
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("--yes cannot be given with acp"), "{}", text(&refused.stderr));
    assert!(refused.stdout.is_empty());
    let help = text(&place.run(&["acp", "--help"]).stdout);
    assert!(help.contains("agent_servers") && !help.contains("--suspend"), "{help}");
}
