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

/// A server that announces a changed list while a call runs: `b` is added by the first call, and `a` is removed by the
/// second one. The pause is longer than the delay between a notification and the new list.
const CHANGING: &str = r#"
tool() { printf '{"name":"%s","inputSchema":{"type":"object"}}' "$1"; }
tools="$(tool a)"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"far","version":"1"}}' ;;
    *'"tools/list"'*) result="{\"tools\":[$tools]}" ;;
    *'"tools/call"'*)
      result='{"content":[{"type":"text","text":"acted"}]}'
      case "$line" in *'"name":"a"'*) tools="$(tool a),$(tool b)" ;; *) tools="$(tool b)" ;; esac
      printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const CHANGING_SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "mcp__far__a", "arguments": {}, "id": "c1"}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "sleep 1"}, "id": "c2"}}]},
    {"steps": [{"call": {"name": "mcp__far__b", "arguments": {}, "id": "c3"}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "sleep 1"}, "id": "c4"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is done"}, "id": "done"}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_offers_the_tools_that_a_server_added_and_removed_during_the_run() {
    let place = Place::new();
    fs::create_dir_all(settings(&place)).unwrap();
    let server = place.folder.path().join("server.sh");
    fs::write(&server, CHANGING).unwrap();
    let entry = format!(
        "[mcp_servers.far]\ncommand = \"sh\"\nargs = [\"{}\"]\napproval = \"never\"\n",
        server.display()
    );
    fs::write(settings(&place).join("config.toml"), entry).unwrap();
    let provider = provider(CHANGING_SCRIPT).await;
    let url = provider.base_url();
    let file = recording(&place);
    let mut command =
        place.command(&["run", "task", "--base-url", &url, "--wire", "openai-chat", "--model", "m", "--ask"]);
    command.arg("--record").arg(&file).env("WINDLASS_CONFIG_DIR", settings(&place));
    let ended = output_with_input(command, &"y\n".repeat(4));
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success() && told.contains("it is done"), "{told}");
    provider.shutdown().await;
    fs::remove_file(&server).unwrap();

    let cassette = fs::read_to_string(&file).unwrap();
    let lines = cassette.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lists = lines.filter(|line| line["line"] == "definitions");
    let counts: Vec<usize> =
        lists.map(|line| line["definitions"]["servers"][0]["tools"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [1, 2, 1], "{told}");
    let again = replay(&place, &file);
    let told = text(&again.stdout) + &text(&again.stderr);
    assert!(again.status.success() && told.contains("the run matches its recording"), "{told}");
}

/// A server whose list changes all the time, in its own rhythm: each list has another number of tools.
const RESTLESS: &str = r#"
tool() { printf '{"name":"%s","inputSchema":{"type":"object"}}' "$1"; }
count=0
(while sleep 0.013; do printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'; done) &
trap "kill $!" EXIT
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"far","version":"1"}}' ;;
    *'"tools/list"'*)
      count=$(((count + 1) % 3))
      tools="$(tool a)"
      for more in $(seq $count); do tools="$tools,$(tool "b$more")"; done
      result="{\"tools\":[$tools]}" ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"acted"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// The change of a list and the request of a turn have no order in time here, so only one step for the offer and its
/// record makes the replay equal.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_matches_whenever_a_list_changed_between_two_requests() {
    const TURNS: usize = 40;
    let place = Place::new();
    fs::create_dir_all(settings(&place)).unwrap();
    let server = place.folder.path().join("server.sh");
    fs::write(&server, RESTLESS).unwrap();
    let entry = format!(
        "[mcp_servers.far]\ncommand = \"sh\"\nargs = [\"{}\"]\napproval = \"never\"\n",
        server.display()
    );
    fs::write(settings(&place).join("config.toml"), entry).unwrap();
    // The list changes also between the rules of the run and its first request.
    let hook = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sleep 0.3"}]}]}}"#;
    fs::write(settings(&place).join("hooks.json"), hook).unwrap();
    let call = |turn| {
        format!(
            r#"{{"steps": [{{"call": {{"name": "run_command", "arguments": {{"command": "sleep 0.0{turn}"}}, "id": "c{turn}"}}}}]}}"#
        )
    };
    let turns: Vec<String> = (10..10 + TURNS).map(call).collect();
    let done = r#"{"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is done"}, "id": "done"}}]}"#;
    let provider = provider(&format!(r#"{{"turns": [{}, {done}]}}"#, turns.join(", "))).await;
    let url = provider.base_url();
    let file = recording(&place);
    let mut command =
        place.command(&["run", "task", "--base-url", &url, "--wire", "openai-chat", "--model", "m", "--ask"]);
    command.args(["--max-turns", "100", "--record"]).arg(&file).env("WINDLASS_CONFIG_DIR", settings(&place));
    let ended = output_with_input(command, &"y\n".repeat(TURNS));
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success() && told.contains("it is done"), "{told}");
    provider.shutdown().await;
    fs::remove_file(&server).unwrap();
    let cassette = fs::read_to_string(&file).unwrap();
    let changes = cassette.lines().filter(|line| line.starts_with(r#"{"line":"definitions""#)).count();
    assert!(changes > 5, "the list changed {changes} times");
    let again = replay(&place, &file);
    let told = text(&again.stdout) + &text(&again.stderr);
    assert!(again.status.success() && told.contains("the run matches its recording"), "{told}");
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
