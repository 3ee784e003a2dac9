//! `windlass run --replay` of a run with MCP servers: their tools come from the recording, and nothing is started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::program::{Place, output_with_input, provider, text};

/// The second call does not ask, because the approval of the first one accepts the definition.
const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "mcp__far__read_file", "arguments": {"path": "far.txt"}, "id": "c1"}}]},
    {"steps": [{"call": {"name": "use_mcp_tool", "arguments": {"server_name": "far", "tool_name": "read_file", "arguments": {"path": "far.txt"}}, "id": "c2"}}]},
    {"steps": [{"call": {"name": "mcp__far__read_file", "arguments": {"path": "far.txt"}, "id": "c3"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is read"}, "id": "done"}}]}]}"#;

fn settings(place: &Place) -> PathBuf {
    place.folder.path().join("settings")
}

fn recording(place: &Place) -> PathBuf {
    place.folder.path().join("run.jsonl")
}

/// Configures a server whose start leaves a mark, and returns the path of the mark.
fn configure_marked(place: &Place) -> PathBuf {
    let mark = place.folder.path().join("started");
    let entry = format!("[mcp_servers.far]\ncommand = \"touch\"\nargs = [\"{}\"]\n", mark.display());
    fs::write(settings(place).join("config.toml"), entry).unwrap();
    mark
}

/// Configures this program as a server over another folder.
fn configure_served(place: &Place) {
    let served = place.folder.path().join("served");
    fs::create_dir_all(&served).unwrap();
    fs::create_dir_all(settings(place)).unwrap();
    fs::write(served.join("far.txt"), "from afar\n").unwrap();
    let words = ["mcp", "serve", "--sandbox", "off", "--preset", "minimal", "--root"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain([served.display().to_string()]).collect();
    let entry = format!(
        "[mcp_servers.far]\ncommand = {:?}\nargs = {words:?}\napproval = \"never\"\nenv = {{ WINDLASS_STATE_DIR = '{}' }}\n",
        env!("CARGO_BIN_EXE_windlass"),
        place.folder.path().join("far-state").display(),
    );
    fs::write(settings(place).join("config.toml"), entry).unwrap();
}

/// Records a run whose human approves the first call. The server and the provider are gone afterwards.
async fn record(place: &Place) {
    configure_served(place);
    let provider = provider(SCRIPT).await;
    let url = provider.base_url();
    let file = recording(place);
    let mut command =
        place.command(&["run", "task", "--base-url", &url, "--wire", "openai-chat", "--model", "m", "--ask"]);
    command
        .args(["--tool", "use_mcp_tool", "--record"])
        .arg(&file)
        .env("WINDLASS_CONFIG_DIR", settings(place));
    let ended = output_with_input(command, "y\ny\n");
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success() && told.contains("from afar"), "{told}");
    provider.shutdown().await;
    fs::remove_dir_all(place.folder.path().join("served")).unwrap();
}

fn replay(place: &Place, file: &Path) -> Output {
    let mut command = place.command(&["run", "--replay"]);
    command.arg(file).env("WINDLASS_CONFIG_DIR", settings(place)).output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_starts_no_server_and_offers_the_recorded_tools() {
    let place = Place::new();
    record(&place).await;
    // The acceptance of the recorded run is in the state folder of the user, and does not count in a replay.
    let mark = configure_marked(&place);
    let check = |told: String, ended: &Output| {
        assert!(ended.status.success(), "{told}");
        assert!(told.contains("the run matches its recording") && told.contains("it is read"), "{told}");
        assert!(!told.contains("is not there"), "{told}");
        assert!(!mark.exists(), "the server was started: {told}");
    };
    let again = replay(&place, &recording(&place));
    check(text(&again.stdout) + &text(&again.stderr), &again);
    // Another machine has neither the configuration nor the state nor the folder of the run.
    fs::remove_file(settings(&place).join("config.toml")).unwrap();
    fs::remove_dir_all(place.folder.path().join("state")).unwrap();
    let again = replay(&place, &recording(&place));
    check(text(&again.stdout) + &text(&again.stderr), &again);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_without_recorded_definitions_starts_no_server_and_reports_it() {
    let place = Place::new();
    record(&place).await;
    let mark = configure_marked(&place);
    let cassette = fs::read_to_string(recording(&place)).unwrap();
    let is_definitions = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["line"] == "definitions";
    assert_eq!(cassette.lines().filter(is_definitions).count(), 1);
    let old: Vec<&str> = cassette.lines().filter(|line| !is_definitions(line)).collect();
    let old = old.join("\n").replacen("\"version\":2", "\"version\":1", 1) + "\n";
    let file = place.folder.path().join("old.jsonl");
    fs::write(&file, old).unwrap();
    let again = replay(&place, &file);
    let told = text(&again.stdout) + &text(&again.stderr);
    assert_eq!(again.status.code(), Some(1), "{told}");
    assert!(told.contains("no definitions of MCP tools") && told.contains("--record"), "{told}");
    assert!(told.contains("the replay differs"), "{told}");
    assert!(!mark.exists(), "the server was started: {told}");
}
