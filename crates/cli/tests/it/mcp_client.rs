//! MCP servers by hand and in a run. The server is this program itself, over a folder of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use windlass_testkit::{Need, require};

use crate::program::{Place, provider, text};

/// A place with a second folder, which is served.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(served(&place)).unwrap();
    fs::write(served(&place).join("far.txt"), "from afar\n").unwrap();
    fs::create_dir(settings(&place)).unwrap();
    place
}

fn served(place: &Place) -> PathBuf {
    place.folder.path().join("served")
}

fn settings(place: &Place) -> PathBuf {
    place.folder.path().join("settings")
}

/// Returns the command of the server as an array of TOML.
fn words(place: &Place, more: &[&str]) -> String {
    let folder = served(place).display().to_string();
    let words =
        ["mcp", "serve", "--sandbox", "off", "--root", &folder].into_iter().chain(more.iter().copied());
    format!("[{}]", words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", "))
}

fn entry(place: &Place, more: &str) -> String {
    format!(
        "[mcp_servers.far]\ncommand = {:?}\nargs = {}\nenv = {{ WINDLASS_STATE_DIR = '{}' }}\n{more}\n",
        env!("CARGO_BIN_EXE_windlass"),
        words(place, &["--preset", "minimal"]),
        place.folder.path().join("far-state").display(),
    )
}

fn configure(place: &Place, more: &str) {
    fs::write(settings(place).join("config.toml"), entry(place, more)).unwrap();
}

fn run(place: &Place, arguments: &[&str]) -> Output {
    place.command(arguments).env("WINDLASS_CONFIG_DIR", settings(place)).output().unwrap()
}

#[test]
fn servers_are_listed_looked_into_and_called() {
    let place = place();
    configure(&place, "disabled_tools = [\"write_file\"]");
    let listed = text(&run(&place, &["mcp", "list"]).stdout);
    assert!(listed.contains("far") && listed.contains("enabled"), "{listed}");
    let tools = run(&place, &["mcp", "tools", "far", "--json"]);
    let lines: Vec<Value> =
        text(&tools.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = lines.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["edit_file", "read_file", "run_command"], "{}", text(&tools.stderr));
    assert_eq!(lines[1]["accepted"], false);
    let called = ["mcp", "call", "read_file", r#"{"path":"far.txt"}"#, "--server", "far"];
    let asked = run(&place, &called);
    assert!(text(&asked.stderr).contains("rule p.untrusted_first_use"), "{}", text(&asked.stderr));
    let done = run(&place, &[&called[..], &["--yes"]].concat());
    assert!(text(&done.stdout).contains("from afar"), "{}{}", text(&done.stdout), text(&done.stderr));
    let gone = run(&place, &["mcp", "call", "write_file", "{}", "--server", "far", "--yes"]);
    assert!(text(&gone.stderr).contains("has no tool write_file"), "{}", text(&gone.stderr));
    let doctor = run(&place, &["mcp", "doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stderr));
    assert!(text(&doctor.stdout).contains("far: ready, 3 tools"), "{}", text(&doctor.stdout));
    assert!(text(&doctor.stdout).contains("it speaks MCP 2026-07-28"), "{}", text(&doctor.stdout));
    configure(&place, "lifecycle = \"initialize\"");
    let doctor = run(&place, &["mcp", "doctor"]);
    assert!(text(&doctor.stdout).contains("it speaks MCP 2025-11-25"), "{}", text(&doctor.stdout));
}

#[test]
fn a_server_can_be_given_by_option_and_a_wrong_name_gets_a_suggestion() {
    let place = place();
    let command = format!(
        "{:?} mcp serve --sandbox off --root {:?} --preset minimal",
        env!("CARGO_BIN_EXE_windlass"),
        served(&place)
    );
    let listed = run(&place, &["mcp", "tools", "--command", &command]);
    assert!(text(&listed.stdout).contains("windlass/read_file"), "{}", text(&listed.stderr));
    configure(&place, "");
    let near = run(&place, &["mcp", "tools", "farr"]);
    assert!(text(&near.stderr).contains("did you mean far?"), "{}", text(&near.stderr));
    let nothing = run(&place, &["mcp", "doctor", "--command", "/no/such/program"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(text(&nothing.stdout).contains("could not be started"), "{}", text(&nothing.stdout));
    let login = run(&place, &["mcp", "login", "far"]);
    assert!(text(&login.stderr).contains("needs no sign-in"), "{}", text(&login.stderr));
}

// M4
#[test]
fn a_failing_server_is_reported_and_stops_a_run_only_if_required() {
    let place = place();
    let broken = "[mcp_servers.broken]\ncommand = \"/no/such/program\"\n";
    fs::write(settings(&place).join("config.toml"), entry(&place, "") + broken).unwrap();
    let tools = run(&place, &["mcp", "tools"]);
    assert!(tools.status.success() && text(&tools.stdout).contains("far/read_file"));
    assert!(text(&tools.stderr).contains("broken is not available"), "{}", text(&tools.stderr));
    let required = format!("{}{broken}required = true\n", entry(&place, ""));
    fs::write(settings(&place).join("config.toml"), required).unwrap();
    let stopped = run(&place, &["mcp", "tools"]);
    assert!(
        text(&stopped.stderr).contains(
            "a required server is not \
             available"
        ),
        "{}",
        text(&stopped.stderr)
    );
}

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "mcp__far__read_file", "arguments": {"path": "far.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "read"}}}]}]}"#;

/// A run with the server, whose human answers with these lines.
fn with_human(place: &Place, url: &str, answers: &str) -> Output {
    let arguments = ["run", "task", "--base-url", url, "--wire", "openai-chat", "--model", "m", "--ask"];
    let mut command = place.command(&arguments);
    command.env("WINDLASS_CONFIG_DIR", settings(place));
    crate::program::output_with_input(command, answers)
}

// M1, H4
#[tokio::test(flavor = "multi_thread")]
async fn mcp_tools_are_offered_and_an_accepted_definition_stays_accepted() {
    let (place, provider) = (place(), provider(SCRIPT).await);
    configure(&place, "approval = \"never\"");
    let first = with_human(&place, &provider.base_url(), "y\n");
    let told = text(&first.stdout) + &text(&first.stderr);
    assert!(first.status.success() && told.contains("of far is not accepted"), "{told}");
    assert!(told.contains("from afar"), "{told}");
    let requests = provider.requests();
    assert!(requests[0].body.to_string().contains("mcp__far__read_file"), "the tool is offered");
    assert!(requests[1].body.to_string().contains("from afar"), "its result comes back");
    provider.shutdown().await;
    // The project accepts, and the user's configuration denies: no question is asked.
    let provider = crate::program::provider(SCRIPT).await;
    let second = with_human(&place, &provider.base_url(), "");
    let told = text(&second.stdout) + &text(&second.stderr);
    assert!(second.status.success() && told.contains("from afar"), "{told}");
    assert!(told.contains("mcp_servers.far.read_file.approval") && !told.contains("May it run?"), "{told}");
    provider.shutdown().await;
    let none = crate::program::provider(SCRIPT).await;
    let without = run(
        &place,
        &[
            "run",
            "task",
            "--base-url",
            &none.base_url(),
            "--wire",
            "openai-chat",
            "--model",
            "m",
            "--yes",
            "--no-mcp",
        ],
    );
    assert!(!none.requests()[0].body.to_string().contains("mcp__far"), "{}", text(&without.stderr));
    none.shutdown().await;
}

// H11
#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_a_project_is_not_started_before_approval() {
    let (place, provider) = (place(), provider(SCRIPT).await);
    let mark = place.folder.path().join("started");
    fs::create_dir(place.project().join(".windlass")).unwrap();
    let evil = format!("[mcp_servers.far]\ncommand = \"touch\"\nargs = [{mark:?}]\nsandbox = \"off\"\n");
    fs::write(place.project().join(".windlass/config.toml"), &evil).unwrap();
    let url = provider.base_url();
    let arguments = ["run", "task", "--base-url", &url, "--wire", "openai-chat", "--model", "m", "--yes"];
    let ended = run(&place, &arguments);
    assert!(text(&ended.stderr).contains("windlass mcp trust far"), "{}", text(&ended.stderr));
    assert!(!mark.exists());
    assert!(run(&place, &["mcp", "trust", "far"]).status.success());
    let looked = run(&place, &["mcp", "doctor"]);
    assert!(mark.exists(), "{}", text(&looked.stdout));
    provider.shutdown().await;
}

/// A server in the shell's language: it touches a file in its folder, and one that its argument names.
const TOUCHES: &str = r#"while read -r line; do
id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
case "$line" in
*'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
*'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"touch","inputSchema":{"type":"object"}}]}}\n' "$id";;
*'"tools/call"'*) touch inside; touch "$1"; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id";;
*'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id";;
esac
done
"#;

// SECURITY "MCP"
#[test]
fn a_projects_server_is_confined_to_the_project() {
    let place = place();
    let outside = place.folder.path().join("outside");
    let folder = place.project().join(".windlass");
    fs::create_dir(&folder).unwrap();
    fs::write(place.project().join("server.sh"), TOUCHES).unwrap();
    let words = format!("[\"server.sh\", \"{}\"]", outside.display());
    fs::write(folder.join("config.toml"), format!("[mcp_servers.s]\ncommand = \"sh\"\nargs = {words}\n"))
        .unwrap();
    assert!(run(&place, &["mcp", "trust", "s"]).status.success());
    let called = run(&place, &["mcp", "call", "touch", "{}", "--server", "s", "--yes"]);
    assert!(text(&called.stdout).contains("done"), "{}{}", text(&called.stdout), text(&called.stderr));
    assert!(place.project().join("inside").exists());
    let level: Value = serde_json::from_slice(&run(&place, &["doctor", "--json"]).stdout).unwrap();
    let level = &level["sandbox"]["level"];
    require!(Need::Namespaces, level.as_str().is_some_and(|level| level.contains("ns") || level == "bwrap"));
    assert!(!outside.exists(), "{level}");
}
