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
    for word in ["office could not be asked", "cannot be reached", "its list of 0 minutes ago"] {
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
    check_refused(&["models", "--provider", "nobody"], &["nobody is not known", "openrouter"]);
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
async fn facts_learned_from_a_refusal_are_known_to_the_next_run() {
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
