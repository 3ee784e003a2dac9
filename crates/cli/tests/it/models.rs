//! `windlass models`, and providers that the user's file adds.

use std::fs;

use serde_json::Value;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns":[{"steps":[{"text":"Hello."}]}]}"#;

fn lines(output: &std::process::Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write_providers(place: &Place, url: &str) -> String {
    let file = place.folder.path().join("config/windlass/providers.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let rows = format!(
        "[vendor.office]\nbase-url = \"{url}/v1\"\nwire = \"openai-chat\"\ncapabilities = {{ images = false }}\n"
    );
    fs::write(&file, rows).unwrap();
    file.display().to_string()
}

#[test]
fn providers_are_listed_with_their_requirements() {
    let place = Place::new();
    let output = place.run(&["models"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}");
    for word in [
        "openrouter",
        "https://api.groq.com/openai/v1",
        "set GROQ_API_KEY",
        "OLLAMA_API_KEY if the server needs one",
    ] {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
    let listed =
        lines(&place.command(&["models", "--json"]).env("XAI_API_KEY", "sk-very-secret").output().unwrap());
    let xai = listed.iter().find(|line| line["provider"] == "xai").unwrap();
    assert_eq!(
        (&xai["key"], &xai["has_key"], &xai["wire"]),
        (&"XAI_API_KEY".into(), &true.into(), &"openai-chat".into())
    );
    assert!(!Value::from(listed).to_string().contains("very-secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_of_the_users_file_is_asked_once_a_day_and_shown_without_a_network() {
    let (place, server) = (Place::new(), provider(SCRIPT).await);
    write_providers(&place, &server.base_url());
    let config = place.folder.path().join("config");
    let run = |arguments: &[&str]| place.command(arguments).env("XDG_CONFIG_HOME", &config).output().unwrap();
    let json = ["models", "--provider", "office", "--json"];
    let listed = lines(&run(&json));
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["provider"]), (&"scripted-1".into(), &"office".into()));
    assert_eq!(listed[0]["known"]["images"], serde_json::json!({"support": "no", "source": "config"}));
    server.shutdown().await;
    // The server is gone, and the list of today needs no server.
    assert_eq!(lines(&run(&json)), listed);
    let in_own_folder = place.command(&json).env("WINDLASS_CONFIG_DIR", config.join("windlass")).output();
    assert_eq!(lines(&in_own_folder.unwrap()), listed);
    let refreshed = run(&["models", "--provider", "office", "--json", "--refresh"]);
    assert_eq!(lines(&refreshed), listed);
    assert_eq!(refreshed.status.code(), Some(1), "the list is an old one");
    let told = text(&refreshed.stderr);
    for word in
        ["the models of office could not be requested", "cannot be reached", "its list of 0 minutes ago"]
    {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
    assert!(text(&run(&["models", "--provider", "office"]).stdout).contains("no c"));
}

#[test]
fn without_key_and_list_the_table_answers() {
    let place = Place::new();
    let output = place.run(&["models", "--provider", "openai"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("set OPENAI_API_KEY"), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("gpt-4o*") && told.contains("yes t"), "{told}");
    let one = lines(&place.run(&["models", "--provider", "groq", "--model", "groq/compound", "--json"]));
    assert_eq!(
        one[0]["known"]["native-tools"],
        serde_json::json!({"support": "no", "source": {"table": "*compound*"}})
    );
}

// Command line B15.
#[test]
fn a_named_server_that_cannot_be_reached_is_a_failure() {
    let place = Place::new();
    let output = place.run(&["models", "--base-url", "http://127.0.0.1:9/v1"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("cannot be reached"), "{}", text(&output.stderr));
    let output = place.run(&["modes", "list", "--root", "/nosuch"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("/nosuch"), "{}", text(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_takes_a_provider_of_the_users_file() {
    let (place, server) = (Place::new(), provider(SCRIPT).await);
    let file = write_providers(&place, &server.base_url());
    let output = place.run(&[
        "run",
        "x",
        "--deny",
        "--provider",
        "office",
        "--model",
        "scripted-1",
        "--config",
        &file,
    ]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(told.contains("Hello."), "{told}");
    assert!(!server.requests().is_empty());
    server.shutdown().await;
}

#[track_caller]
fn check_refused(arguments: &[&str], words: &[&str]) {
    let place = Place::new();
    fs::write(place.project().join("wrong.toml"), "[vendor.groq]\n\nquirks = [\"nostop\"]\n").unwrap();
    fs::write(place.project().join("empty.pem"), "nothing\n").unwrap();
    let output = place.run(arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for word in words {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
}

#[test]
fn files_that_are_wrong_are_named_with_key_and_line() {
    check_refused(&["models", "--config", "nowhere.toml"], &["the file nowhere.toml does not exist"]);
    check_refused(
        &["models", "--config", "wrong.toml"],
        &["wrong.toml is refused", "vendor.groq.quirks[0] (line 3)", "no-stop"],
    );
    check_refused(
        &["models", "--provider", "groq", "--ca-file", "empty.pem"],
        &["certificate authority 1", "no certificate"],
    );
    check_refused(&["models", "--provider", "azure-openai"], &["{resource}", "a placeholder"]);
    check_refused(&["models", "--provider", "nobody"], &["unknown provider nobody", "openrouter"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environments_proxy_is_used_but_not_for_this_machine() {
    let (place, server) = (Place::new(), provider(SCRIPT).await);
    let proxy = server.base_url();
    let asked = |url: &str, name: &str, value: &str| {
        let arguments = ["models", "--base-url", url, "--json"];
        let output = place.command(&arguments).env(name, value).output().unwrap();
        (lines(&output).len(), text(&output.stderr))
    };
    // The scripted provider answers the path of any host.
    assert_eq!(asked("http://provider.test/v1", "HTTP_PROXY", &proxy), (1, String::new()));
    assert_eq!(asked(&format!("{proxy}/v1"), "HTTP_PROXY", "http://127.0.0.1:1"), (1, String::new()));
    server.shutdown().await;
}

// L9, P5: a model without tool calls of its own is asked in another way, in this run and in the next.
#[tokio::test(flavor = "multi_thread")]
async fn facts_learned_from_a_refusal_are_used_by_the_next_run() {
    let refuses = r#"{"turns":[{"steps":[{"text":"Hello."}],
        "hostile":{"switch":"refuse_parameter","parameter":"tools"}}]}"#;
    let (place, server) = (Place::new(), provider(refuses).await);
    let file = write_providers(&place, &server.base_url());
    let run = [
        "run",
        "x",
        "--deny",
        "--provider",
        "office",
        "--model",
        "scripted-1",
        "--max-turns",
        "1",
        "--config",
        &file,
    ];
    let has_tools = |server: &windlass_mock::ScriptedProvider| -> Vec<bool> {
        server.requests().iter().map(|request| request.body.get("tools").is_some()).collect()
    };
    let told = text(&place.run(&run).stderr);
    assert_eq!(has_tools(&server)[..2], [true, false], "{told}");
    let before = server.requests().len();
    let told = text(&place.run(&run).stderr);
    let second = has_tools(&server)[before..].to_vec();
    assert!(!second.is_empty() && second.iter().all(|has| !has), "{second:?}: {told}");
    let shown = place.run(&["models", "--provider", "office", "--model", "scripted-1", "--config", &file]);
    let shown = text(&shown.stdout);
    assert!(shown.contains("no r") && shown.contains("refused: tools (Unsupported parameter"), "{shown}");
    let forgotten = place.run(&[
        "models",
        "--provider",
        "office",
        "--model",
        "scripted-1",
        "--forget",
        "--config",
        &file,
    ]);
    assert!(!text(&forgotten.stdout).contains("no r"), "{}", text(&forgotten.stdout));
    server.shutdown().await;
}

#[test]
fn prices_are_listed_and_unknown_ones_are_marked() {
    let place = Place::new();
    let one = |provider: &str, model: &str| {
        let run = ["models", "--provider", provider, "--model", model, "--json"];
        lines(&place.run(&run)).remove(0)
    };
    let known = one("openai", "gpt-5.1");
    assert_eq!(
        (&known["prices"]["input"], &known["prices"]["output"]),
        (&1_250_000.into(), &10_000_000.into())
    );
    assert_eq!(known["context_tokens"], 272_000);
    assert_eq!(one("openai", "gpt-0")["prices"], Value::Null);
    assert_eq!(one("groq", "gpt-5.1")["prices"], Value::Null);
    let told = text(&place.run(&["models", "--provider", "anthropic", "--model", "claude-opus-4-8"]).stdout);
    assert!(told.contains("5/25") && told.contains("1000000"), "{told}");
    let told = text(&place.run(&["models", "--provider", "ollama", "--model", "qwen3"]).stdout);
    assert!(told.contains(" ? "), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_shows_its_cost_at_the_users_prices_and_asks_when_it_is_spent() {
    let script = r#"{"turns": [
        {"steps": [{"call": {"name": "list_files", "arguments": {"path": "."}}}], "usage": {"input": 100000, "output": 2000}},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}], "usage": {"input": 100000, "output": 2000}}]}"#;
    let (place, server) = (Place::new(), provider(script).await);
    let file = write_providers(&place, &server.base_url());
    let config = place.folder.path().join("config");
    let run = |arguments: &[&str]| {
        let start = ["run", "x", "--provider", "office", "--model", "scripted-1", "--yes"];
        let output = place.command(&[&start, arguments].concat()).env("XDG_CONFIG_HOME", &config).output();
        output.unwrap()
    };
    let told = text(&run(&["--ask-after-cost", "1"]).stderr);
    assert!(told.contains("--ask-after-cost needs the price of scripted-1, which is unknown"), "{told}");
    let told = text(&run(&[]).stderr);
    assert!(told.contains("200000 tokens in, 4000 out, cost unknown"), "{told}");
    let row = "\n[[vendor.office.model]]\npattern = \"*\"\nprice = { input = \"3\", output = \"15\" }\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + row).unwrap();
    let (fresh, again) = (provider(script).await, provider(script).await);
    let told = |server: &windlass_mock::ScriptedProvider, arguments: &[&str]| {
        let url = format!("{}/v1", server.base_url());
        text(&run(&[&["--base-url", url.as_str()], arguments].concat()).stderr)
    };
    let shown = told(&fresh, &["--effort", "high", "--temperature", "0.5", "--max-tokens", "900"]);
    assert!(shown.contains("200000 tokens in, 4000 out, cost 0.6600;"), "{shown}");
    let body = &fresh.requests()[0].body;
    assert_eq!((&body["reasoning_effort"], &body["max_tokens"]), (&"high".into(), &900.into()), "{body}");
    assert_eq!(body["temperature"], 0.5);
    let shown = told(&again, &["--ask-after-cost", "0.3"]);
    assert!(shown.contains("100000 tokens in, 2000 out, cost 0.3300;"), "{shown}");
}

#[test]
fn a_price_that_is_not_an_amount_is_refused_with_its_place() {
    let place = Place::new();
    let file = write_providers(&place, "http://localhost:1");
    let row = "\n[[vendor.office.model]]\npattern = \"*\"\nprice = { input = \"free\", output = \"1\" }\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + row).unwrap();
    let config = place.folder.path().join("config");
    let output = place.command(&["models"]).env("XDG_CONFIG_HOME", &config).output().unwrap();
    let told = text(&output.stderr);
    assert!(told.contains("price.input") && told.contains("\"free\" is not an amount"), "{told}");
}
