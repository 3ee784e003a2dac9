//! Bad input: a clear error with a remedy, and the right exit code.

use crate::program::{Place, provider, text, wire_formats};

#[track_caller]
fn check(place: &Place, arguments: &[&str], code: i32, words: &[&str]) {
    let output = place.run(arguments);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    for word in words {
        assert!(told.contains(word), "{arguments:?}: no {word:?} in {told}");
    }
}

#[test]
fn missing_settings_are_named_before_a_request_is_sent() {
    let place = Place::new();
    check(&place, &["run", "x", "--model", "m", "--provider", "openai"], 1, &["set OPENAI_API_KEY"]);
    check(
        &place,
        &["run", "x", "--model", "m"],
        1,
        &["OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY", "--base-url"],
    );
    check(&place, &["run", "x", "--provider", "ollama"], 1, &["--model"]);
    check(
        &place,
        &["run", "x", "--model", "m", "--provider", "nobody"],
        1,
        &["unknown provider nobody", "anthropic"],
    );
    check(&place, &["run", "--resume", "nonsense"], 1, &["run nonsense does not exist"]);
    check(&place, &["run", "--resume", "../x"], 1, &["is not the id of a run"]);
    assert!(!place.folder.path().join("state").exists(), "nothing was kept of runs that never began");
}

#[test]
fn a_root_that_cannot_be_worked_in_is_refused() {
    let place = Place::new();
    let run = |root| ["run", "x", "--model", "m", "--provider", "ollama", "--root", root];
    check(&place, &run("nowhere"), 1, &["nowhere cannot be opened"]);
    check(&place, &run("a.txt"), 1, &["is not a folder"]);
}

#[test]
fn a_policy_file_that_is_wrong_is_refused_whole() {
    let place = Place::new();
    let file = place.project().join("p.toml");
    let run = ["run", "x", "--model", "m", "--provider", "ollama", "--policy", "p.toml"];
    for (rules, word) in [
        ("rul = 1", "unknown field"),
        ("[[rule]]\nid='b.read'\naction='deny'", "the id is already used"),
        ("[[rule]]\nid='x'\naction='maybe'", "unknown variant"),
    ] {
        std::fs::write(&file, rules).unwrap();
        check(&place, &run, 1, &["p.toml is refused", word]);
    }
    std::fs::create_dir(place.project().join(".windlass")).unwrap();
    std::fs::write(place.project().join(".windlass/policy.toml"), "[[rule]]\nid='x'\naction='allow'")
        .unwrap();
    check(&place, &run[..6], 1, &["a project's policy can deny and ask, but not allow"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_server_are_reported_without_the_key() {
    let hostile = |switch: &str| {
        let status = if switch == "status" { 400 } else { 200 };
        format!(
            r#"{{"turns":[{{"steps":[{{"text":"hello"}}],"hostile":{{"switch":"{switch}","status":{status}}}}}]}}"#
        )
    };
    for (switch, word) in [("html", "HTML page"), ("not_json", "not JSON"), ("status", "status 400")] {
        let (place, provider) = (Place::new(), provider(&hostile(switch)).await);
        for wire in wire_formats() {
            let output = place
                .command(&["run", "x", "--base-url", &provider.base_url(), "--wire", wire, "--model", "m"])
                .args(["--retries", "0"])
                .env("OPENAI_API_KEY", "sk-very-secret")
                .env("ANTHROPIC_API_KEY", "sk-very-secret")
                .env("GEMINI_API_KEY", "sk-very-secret")
                .output()
                .unwrap();
            let told = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{switch} {wire}: {told}");
            assert!(told.contains(word) && told.contains("127.0.0.1"), "{switch} {wire}: {told}");
            assert!(!told.contains("sk-very-secret"));
        }
        let found = std::process::Command::new("grep")
            .args(["-rl", "sk-very-secret"])
            .arg(place.folder.path())
            .output()
            .unwrap();
        assert_eq!(text(&found.stdout), "", "no file holds the key");
        provider.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_models_and_keys_are_reported_once() {
    let (place, provider) = (Place::new(), provider(r#"{"turns":[]}"#).await);
    let url = provider.base_url();
    for wire in wire_formats() {
        let run = ["run", "x", "--base-url", &url, "--wire", wire, "--model", "no-such-model"];
        check(&place, &run, 1, &["status 404", "no-such-model", "is the model's name right"]);
        let output = place
            .command(&["run", "x", "--base-url", &url, "--wire", wire, "--model", "m"])
            .env("OPENAI_API_KEY", "wrong-key")
            .env("ANTHROPIC_API_KEY", "wrong-key")
            .env("GEMINI_API_KEY", "wrong-key")
            .output()
            .unwrap();
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(
            told.contains("status 401") && told.contains("_API_KEY") && !told.contains("wrong-key"),
            "{told}"
        );
    }
    assert_eq!(provider.requests().len(), 8, "a request that is wrong is sent once");
    provider.shutdown().await;
}

#[test]
fn wrong_use_exits_with_two() {
    let place = Place::new();
    for arguments in [
        ["run"].as_slice(),
        &["parse", "--wire", "nothing", "x"],
        &["parse", "--wire", "anthropic"],
        &["nonsense"],
        &["run", "x", "--yes", "--deny"],
    ] {
        check(&place, arguments, 2, &["--help"]);
    }
}

#[test]
fn bad_files_and_arguments_are_named() {
    let place = Place::new();
    std::fs::write(place.project().join("bad.json"), "{\"turn\": 1}").unwrap();
    check(&place, &["mock", "--script", "bad.json"], 1, &["bad.json is not a script", "turn"]);
    check(&place, &["parse", "--wire", "anthropic", "gone.sse"], 1, &["gone.sse cannot be read"]);
    check(&place, &["encode", "--wire", "anthropic", "bad.json"], 1, &["not a request"]);
    check(&place, &["json", "bad.json"], 0, &["\"final\""]);
    check(&place, &["json", "a.txt"], 1, &["not JSON"]);
    check(&place, &["tool", "call", "read_file", "{"], 1, &["not a JSON object"]);
    check(&place, &["tool", "call", "fly", "{}"], 1, &["unknown tool fly"]);
    check(&place, &["tool", "show", "fly"], 1, &["unknown tool fly"]);
}

// L9: a damaged answer may have been billed, so the user decides how often it is requested again.
#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_retries_holds_for_answers_that_are_not_json() {
    for switch in ["html", "not_json", "empty"] {
        let script = format!(r#"{{"turns":[{{"steps":[],"hostile":{{"switch":"{switch}"}}}}]}}"#);
        for retries in [0, 1] {
            let (place, provider) = (Place::new(), provider(&script).await);
            let (url, number) = (provider.base_url(), retries.to_string());
            check(
                &place,
                &["run", "x", "--base-url", &url, "--model", "m", "--retries", &number],
                1,
                &["failed"],
            );
            assert_eq!(provider.requests().len(), retries + 1, "{switch}");
            provider.shutdown().await;
        }
    }
}

// L9: only the client retries, so a failing server receives five requests.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_keeps_failing_gets_five_requests() {
    let script = r#"{"turns":[{"steps":[],"hostile":{"switch":"status","status":500}}]}"#;
    let (place, provider) = (Place::new(), provider(script).await);
    let url = provider.base_url();
    let run = ["run", "x", "--base-url", &url, "--model", "m", "--retry-for", "0"];
    check(&place, &run, 1, &["status 500", "5 attempts"]);
    assert_eq!(provider.requests().len(), 5);
    provider.shutdown().await;
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named() {
    let place = Place::new();
    let output = place
        .command(&["run", "x", "--provider", "ollama", "--model", "m"])
        .env("WINDLASS_STATE_DIR", "/proc/nowhere")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/proc/nowhere"), "{}", text(&output.stderr));
}

// Q2: keys of the environment are not for the commands of a model.
#[test]
fn a_command_does_not_see_the_users_keys() {
    let place = Place::new();
    let output = place
        .command(&["tool", "call", "run_command", r#"{"command":"env"}"#, "--yes"])
        .env("OPENAI_API_KEY", "sk-very-secret")
        .env("MY_TOKEN", "sk-very-secret")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("PATH=") && !text(&output.stdout).contains("sk-very-secret"));
}
