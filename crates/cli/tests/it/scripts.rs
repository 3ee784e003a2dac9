//! Runs that a script starts: the answer alone, as a file, as JSON of a schema, and its limits.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use windlass_mock::ScriptedProvider;

use crate::program::{Place, output_with_input, provider, text};

const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["city", "people"], "additionalProperties": false}"#;

fn words(answers: &[&str]) -> String {
    let turns: Vec<Value> = answers.iter().map(|answer| json!({"steps": [{"text": answer}]})).collect();
    json!({ "turns": turns }).to_string()
}

/// A run against a provider with a script.
struct Script {
    place: Place,
    provider: ScriptedProvider,
}

impl Script {
    async fn new(script: &str) -> Self {
        Self { place: Place::new(), provider: provider(script).await }
    }

    /// Returns the exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let url = self.provider.base_url();
        let mut all = vec!["run", "--base-url", &url, "--model", "m", "--deny"];
        all.extend(arguments);
        let output = self.place.run(&all);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn print_writes_only_the_answer_to_standard_output() {
    let script = Script::new(
        r#"{"turns": [
        {"steps": [{"text": "I look first."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
        {"steps": [{"text": "It says:\nhello"}]}]}"#,
    )
    .await;
    let (code, answer, notes) = script.run(&["look", "-p"]);
    assert_eq!((code, answer.as_str()), (Some(0), "It says:\nhello\n"), "{notes}");
    assert!(notes.contains("journal: "), "{notes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incomplete_run_prints_the_reason_and_no_answer() {
    let script = Script::new(
        r#"{"turns": [{"steps": [{"text": "A"}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]}]}"#,
    )
    .await;
    std::fs::write(script.place.project().join("answer.txt"), "older").unwrap();
    let arguments = ["look", "--print", "--max-turns", "1", "--output-last-message", "answer.txt"];
    let (code, answer, notes) = script.run(&arguments);
    assert_eq!((code, answer.as_str()), (Some(1), ""), "{notes}");
    assert!(notes.contains("stopped: the turn limit was reached"), "{notes}");
    assert_eq!(std::fs::read_to_string(script.place.project().join("answer.txt")).unwrap(), "older");
}

#[tokio::test(flavor = "multi_thread")]
async fn piped_text_is_the_task_or_a_part_of_it() {
    for (task, expected) in [("-", "the log"), ("explain", "explain\n\n<stdin>\nthe log\n</stdin>")] {
        let (place, provider) = (Place::new(), provider(&words(&["fine"])).await);
        let url = provider.base_url();
        let run = place.command(&["run", task, "--print", "--base-url", &url, "--model", "m"]);
        let output = output_with_input(run, "the log");
        assert_eq!(text(&output.stdout), "fine\n", "{}", text(&output.stderr));
        let messages = provider.requests()[0].body["messages"].clone();
        assert_eq!(messages.as_array().unwrap().last().unwrap()["content"], json!(expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_replaces_a_file_as_a_whole() {
    let script = Script::new(&words(&["the answer"])).await;
    let project = script.place.project();
    std::fs::write(project.join("real.txt"), "older and longer than the answer").unwrap();
    std::os::unix::fs::symlink("real.txt", project.join("answer.txt")).unwrap();
    let (code, out, notes) = script.run(&["look", "--output-last-message", "answer.txt"]);
    assert_eq!(code, Some(0), "{notes}");
    assert!(out.ends_with("the answer\n✓ completed\n"), "{out}");
    assert_eq!(std::fs::read_to_string(project.join("real.txt")).unwrap(), "the answer\n");
    assert!(project.join("answer.txt").is_symlink());
    let mode = std::fs::metadata(project.join("real.txt")).unwrap().permissions().mode();
    assert_ne!(mode & 0o400, 0);
    let left = std::fs::read_dir(project)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with(".windlass-"));
    assert_eq!(left.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_written_is_an_error_before_the_first_request() {
    let script = Script::new(&words(&["the answer"])).await;
    for file in ["missing/answer.txt", "."] {
        let (code, _, notes) = script.run(&["look", "--output-last-message", file]);
        assert_eq!(code, Some(1), "{notes}");
        assert!(notes.contains("cannot be written") || notes.contains("is a folder"), "{notes}");
    }
    assert!(script.provider.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_fit_the_schema_is_corrected_in_the_same_run() {
    // A refused answer is not in the conversation, so the text of the correction request selects the next answer.
    let answer = |text: &str| json!([{"steps": [{ "text": text }]}]);
    let script = json!({
        "turns": answer("It is Tokyo."),
        "parts": {
            "expected the required": answer(r#"Here it is: {"city": "Tokyo", "people": 14000000}"#),
            "it is not a JSON object": answer(r#"{"city": "Tokyo"}"#),
        },
    });
    let script = Script::new(&script.to_string()).await;
    std::fs::write(script.place.project().join("city.json"), SCHEMA).unwrap();
    let arguments = ["which?", "--schema", "city.json", "--print", "--output-last-message", "answer.json"];
    let (code, answer, notes) = script.run(&arguments);
    assert_eq!((code, answer.as_str()), (Some(0), "{\"city\":\"Tokyo\",\"people\":14000000}\n"), "{notes}");
    assert_eq!(std::fs::read_to_string(script.place.project().join("answer.json")).unwrap(), answer);
    let requests = script.provider.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[2].body["messages"].to_string().contains("people"), "{}", requests[2].body);
    let runs = std::fs::read_dir(script.place.folder.path().join("state/runs")).unwrap();
    assert_eq!(runs.count(), 1, "a correction is not a run of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_completion_tool_can_return_the_value_and_it_can_be_an_array() {
    let call = |result: &str| json!({"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": result}}}]});
    let script = Script::new(&json!({"turns": [call("no list"), call("[1, 2]")]}).to_string()).await;
    std::fs::write(
        script.place.project().join("s.json"),
        r#"{"type": "array", "items": {"type": "integer"}}"#,
    )
    .unwrap();
    let (code, answer, notes) = script.run(&["which?", "--schema", "s.json", "--print"]);
    assert_eq!((code, answer.as_str()), (Some(0), "[1,2]\n"), "{notes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_never_fit_end_the_run_without_an_answer() {
    let script = Script::new(&words(&["no"; 9])).await;
    std::fs::write(script.place.project().join("city.json"), SCHEMA).unwrap();
    let (code, answer, notes) = script.run(&["which?", "--schema", "city.json", "--print"]);
    assert_eq!((code, answer.as_str()), (Some(1), ""), "{notes}");
    assert!(notes.contains("answer-schema"), "{notes}");
    let (code, _, notes) = script.run(&["which?", "--schema", "a.txt"]);
    assert_eq!(code, Some(1));
    assert!(notes.contains("a.txt is not JSON"), "{notes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stops_at_its_cost_and_an_unknown_price_is_refused() {
    let turn = |tool: &str, path: &str| {
        let call = json!({"name": tool, "arguments": {"path": path}});
        json!({"steps": [{ "call": call }], "usage": {"input": 400_000, "output": 0}})
    };
    let (read, list) = (turn("read_file", "a.txt"), turn("list_files", "."));
    let script = Script::new(&json!({"turns": [read, list, read, list]}).to_string()).await;
    let (code, _, notes) = script.run(&["look", "--max-cost", "1"]);
    assert_eq!(code, Some(1));
    assert!(notes.contains("--max-cost needs the price of m, which is unknown: add --price"), "{notes}");
    assert!(script.provider.requests().is_empty());
    let (code, out, notes) = script.run(&["look", "--max-cost", "1", "--price", "1,1"]);
    assert_eq!(code, Some(1), "{notes}");
    assert!(out.contains("stopped: its budget is used up") && notes.contains("cost 1.2000"), "{out}{notes}");
    assert_eq!(script.provider.requests().len(), 3, "the third answer reaches the limit");
}

#[test]
fn options_for_scripts_are_refused_where_they_have_no_effect() {
    let place = Place::new();
    for (line, why) in [
        (&["run", "x", "--print", "--json"][..], "cannot be used with"),
        (&["run", "--resume", "last", "--schema", "s.json"], "--schema"),
        (&["run", "--resume", "last", "--max-cost", "2"], "--max-cost cannot be given with --resume"),
    ] {
        let output = place.run(line);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {told}");
        assert!(told.contains(why), "{line:?}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_json_is_one_line() {
    let arguments = "{\n  \"path\":\t\"a.txt\"\r\n}";
    let script = json!({"turns": [
        {"steps": [{"call": {"name": "read_file", "arguments": arguments}}]}, {"steps": [{"text": "a\nb"}]}]});
    let script = Script::new(&script.to_string()).await;
    let (code, out, notes) = script.run(&["look", "--json"]);
    assert_eq!(code, Some(0), "{notes}");
    for line in out.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line:?}");
    }
    assert!(out.contains("a.txt"), "{out}");
}

#[test]
fn the_command_line_describes_itself() {
    let place = Place::new();
    let help = text(&place.run(&["run", "--help"]).stdout);
    assert!(help.contains("Exit codes: 0 the task is completed"), "{help}");
    let version = text(&place.run(&["--version"]).stdout);
    let commit = version.trim_end().strip_prefix(concat!("windlass ", env!("CARGO_PKG_VERSION"))).unwrap();
    // A copy of the sources without git has no commit.
    assert!(commit.is_empty() || commit.len() == " (0123456789)".len(), "{version}");
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&place.run(&["completions", shell]).stdout);
        assert!(script.contains("output-last-message") && script.contains("completions"), "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_names_steps_without_their_content_and_only_the_user_can_read_it() {
    let script = Script::new(&words(&["the answer"])).await;
    let (code, answer, notes) = script.run(&["look", "-p", "-vv"]);
    assert_eq!((code, answer.as_str()), (Some(0), "the answer\n"), "{notes}");
    let path = notes.lines().find_map(|line| line.strip_prefix("log: ")).unwrap();
    let log = std::fs::read_to_string(path).unwrap();
    assert!(log.contains("kind=\"run_ended\"") && log.contains("windlass"), "{log}");
    assert!(!log.contains("the answer"), "{log}");
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
    let url = script.provider.base_url();
    let mut wrong = script.place.command(&["run", "x", "-v", "--base-url", &url, "--model", "m"]);
    let told = text(&wrong.env("RUST_LOG", "h2=loud").output().unwrap().stderr);
    assert!(told.contains("RUST_LOG cannot be used: \"h2=loud\" is not a filter"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_has_the_lines_of_libraries_without_keys() {
    let script = Script::new(&words(&["the answer"])).await;
    let url = script.provider.base_url();
    let arguments = ["run", "x", "-v", "--base-url", &url, "--model", "sk-planted-key", "-p"];
    let mut command = script.place.command(&arguments);
    command.env("RUST_LOG", "trace").env("OPENAI_API_KEY", "sk-planted-key");
    let notes = text(&command.output().unwrap().stderr);
    let path = notes.lines().find_map(|line| line.strip_prefix("log: ")).unwrap();
    let log = std::fs::read_to_string(path).unwrap();
    // mio writes its lines with the crate `log`, hyper with `tracing`.
    assert!(log.contains(" mio::poll: ") && log.contains(" hyper_util::"), "{log}");
    assert!(!log.contains("sk-planted-key"), "{log}");
}

#[cfg(feature = "subagent")]
#[test]
fn agents_are_listed_with_their_source_and_shown_with_their_rights() {
    let place = Place::new();
    let folder = place.project().join(".windlass/agents");
    std::fs::create_dir_all(&folder).unwrap();
    let scribe = "---\nname: scribe\ndescription: Writes.\ntools: write_file\n---\nYou are the scribe.\n";
    std::fs::write(folder.join("scribe.md"), scribe).unwrap();
    let list = text(&place.run(&["agents", "list"]).stdout);
    assert!(
        list.contains("scribe           project  Writes.") && list.contains("code_explorer    built in"),
        "{list}"
    );
    let shown: Value =
        serde_json::from_slice(&place.run(&["agents", "show", "scribe", "--json"]).stdout).unwrap();
    assert_eq!((&shown["tools"], &shown["prompt"]), (&json!(["write_file"]), &json!("You are the scribe.")));
    let wrong = place.run(&["agents", "show", "scibe"]);
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("scribe"), "{}", text(&wrong.stderr));
}

#[cfg(feature = "mcp")]
#[test]
fn a_server_is_added_replaced_and_removed_without_touching_the_rest_of_the_file() {
    let place = Place::new();
    let settings = place.folder.path().join("settings");
    std::fs::create_dir(&settings).unwrap();
    let file = settings.join("config.toml");
    std::fs::write(&file, "# mine\nmodel = \"m\"\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        let output = command.env("WINDLASS_CONFIG_DIR", &settings).output().unwrap();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    let add = ["mcp", "add", "files", "--env", "A=b=c", "--inherit", "TOKEN", "--", "server", "--root", "."];
    assert!(run(&add).0);
    assert!(run(&["mcp", "add", "far", "--url", "https://example.com/mcp"]).0);
    let written = std::fs::read_to_string(&file).unwrap();
    for part in ["args = [\"--root\", \".\"]", "A = \"b=c\"", "env_vars = [\"TOKEN\"]"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert!(run(&["mcp", "list"]).1.contains("far "));
    let (is_added, told) = run(&add);
    assert!(!is_added && told.contains("--force"), "{told}");
    for name in ["files", "far"] {
        assert!(run(&["mcp", "remove", name]).0);
    }
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(left.starts_with("# mine\nmodel = \"m\"\n") && !left.contains("files"), "{left}");
    let (is_removed, told) = run(&["mcp", "remove", "files"]);
    assert!(!is_removed && told.contains("has no server files"), "{told}");
}
