//! Bad input and bad surroundings: each is an error in words, and the key is in none of them.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::windlass::{Ended, Windlass, files};

const KEY: &str = "sk-planted-4f1c9a7e";
const HELLO: &str = r#"{"turns": [], "fallback": "hello"}"#;

#[track_caller]
fn check_ended(ended: &Ended, said: &[&str]) {
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    let all = format!("{}{}", ended.out, ended.err);
    for part in said {
        assert!(all.contains(part), "{part} is not in {all}");
    }
    assert!(!all.contains("panicked"), "{all}");
}

/// A command that fails before anything is asked or kept.
#[track_caller]
fn check(arguments: &[&str], said: &[&str]) {
    let windlass = Windlass::new();
    check_ended(&windlass.run(arguments), said);
    assert!(!windlass.state().exists(), "a run that cannot begin leaves nothing");
}

/// A run that a provider makes fail, in both formats. It ends soon, and the key stays where it was.
#[track_caller]
fn check_run(script: &str, model: &str, said: &[&str]) {
    for (wire, variable) in [("openai-chat", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")] {
        let windlass = Windlass::new();
        let provider = windlass.provider(script);
        let arguments =
            ["run", "task", "--base-url", &provider.base_url(), "--wire", wire, "--model", model, "--yes"];
        let began = Instant::now();
        let ended = windlass.run_with(&arguments, &[(variable, KEY)], "");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        check_ended(&ended, said);
        check_no_key(&windlass, &ended, KEY);
    }
}

#[track_caller]
fn check_no_key(windlass: &Windlass, ended: &Ended, key: &str) {
    assert!(!format!("{}{}", ended.out, ended.err).contains(key));
    let files = files(&windlass.state());
    assert!(files.len() >= 2, "there are settings and a journal");
    for (path, bytes) in files {
        assert!(!String::from_utf8_lossy(&bytes).contains(key), "the key is in {}", path.display());
    }
}

#[test]
fn what_a_run_lacks_is_named() {
    check(&["run", "task"], &["name a model", "WINDLASS_MODEL"]);
    check(&["run", "task", "--model", "m"], &["OPENAI_API_KEY", "--provider"]);
    check(&["run", "task", "--model", "m", "--provider", "openai"], &["no key for openai", "OPENAI_API_KEY"]);
    check(&["run", "task", "--model", "m", "--provider", "abacus"], &["abacus is not known", "ollama"]);
    check(&["run", "task", "--model", "m", "--base-url", "localhost:1"], &["localhost:1", "http"]);
}

#[test]
fn a_bad_root_is_named() {
    let run = ["run", "task", "--model", "m", "--base-url", "http://127.0.0.1:1", "--root"];
    check(&[&run[..], &["nowhere"]].concat(), &["root nowhere cannot be opened"]);
    check(&["tool", "call", "list_files", "{}", "--root", "nowhere"], &["root nowhere cannot be opened"]);
    let windlass = Windlass::new();
    let file = windlass.file("file", "");
    check_ended(&windlass.run(&[&run[..], &[&file]].concat()), &["file"]);
    assert!(!windlass.state().exists());
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named() {
    let windlass = Windlass::new();
    let provider = windlass.provider(HELLO);
    let file = windlass.file("file", "");
    let ended = windlass.run_with(
        &["run", "task", "--model", "m", "--base-url", &provider.base_url()],
        &[("WINDLASS_STATE_DIR", &file)],
        "",
    );
    check_ended(&ended, &["run's folder", "cannot be made"]);
    assert!(provider.requests().is_empty(), "nothing is asked that cannot be recorded");
}

#[test]
fn an_unknown_run_is_named() {
    check(&["run", "--resume", "nonsense"], &["there is no run nonsense"]);
    check(&["run", "--resume", "../../etc"], &["is not the id of a run"]);
    check(&["run", "--resume", ""], &["is not the id of a run"]);
}

#[test]
fn a_policy_file_with_an_unknown_key_is_refused() {
    for text in ["allow_everything = true\n", "[[rules]]\nverdict = \"perhaps\"\n", "not toml"] {
        let windlass = Windlass::new();
        let policy = windlass.file("policy.toml", text);
        for arguments in [
            &["run", "task", "--model", "m", "--base-url", "http://127.0.0.1:1", "--policy", &policy][..],
            &["tool", "call", "list_files", "{}", "--policy", &policy],
            &["policy", "explain", "--policy", &policy],
        ] {
            check_ended(&windlass.run(arguments), &["policy.toml is refused", "because: "]);
        }
        assert!(!windlass.state().exists());
    }
    check(&["policy", "explain", "--policy", "nowhere.toml"], &["nowhere.toml is refused"]);
}

#[test]
fn a_bad_script_is_refused() {
    let windlass = Windlass::new();
    for text in ["", "{}", r#"{"turns": [], "fall_back": ""}"#, r#"{"turns": [{"steps": [{"say": "a"}]}]}"#] {
        let script = windlass.file("script.json", text);
        check_ended(&windlass.run(&["mock", "--script", &script]), &["script.json is not a script"]);
    }
    check(&["mock", "--script", "nowhere.json"], &["nowhere.json cannot be read"]);
}

#[test]
fn a_call_by_hand_that_is_wrong_is_said_to_be() {
    check(&["tool", "call", "read_file", "{\"path\":"], &["not a JSON object"]);
    check(&["tool", "call", "read_file", "[1]"], &["not a JSON object"]);
    check(&["tool", "call", "fly", "{}"], &["fly"]);
    check(&["tool", "call", "read_file", "{}"], &["path"]);
    check(&["tool", "call", "read_file", "{\"path\":\"nowhere\"}"], &["nowhere"]);
    check(&["tool", "show", "fly"], &["no tool fly", "windlass tool list"]);
}

#[test]
fn input_that_cannot_be_decoded_is_named() {
    check(&["parse", "--wire", "anthropic", "nowhere.sse"], &["nowhere.sse cannot be read"]);
    let windlass = Windlass::new();
    let page = windlass.file("page.sse", "<!doctype html><title>Sign in</title>");
    for wire in ["openai-chat", "anthropic"] {
        check_ended(&windlass.run(&["parse", "--wire", wire, &page]), &["page.sse cannot be decoded"]);
        check_ended(
            &windlass.run_with(&["encode", "--wire", wire], &[], "{\"model\":1}"),
            &["not a request"],
        );
    }
    check_ended(&windlass.run_with(&["json"], &[], "{\"a\": nope}"), &["not JSON"]);
    check_ended(&windlass.run_with(&["json"], &[], "{\"a\": 1"), &["not one JSON value"]);
    check_ended(&windlass.run_with(&["policy", "explain"], &[], "{}\n"), &["line 1 is not a call"]);
}

#[test]
fn an_unreachable_server_is_named_before_long() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let windlass = Windlass::new();
    let url = format!("http://{address}/v1");
    let began = Instant::now();
    let ended = windlass.run(&["run", "task", "--base-url", &url, "--model", "m", "--yes"]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    check_ended(&ended, &[&address.to_string(), "cannot be reached", "go on with: windlass run --resume "]);
}

/// A script whose first answer goes wrong in this way.
fn hostile(switch: &str) -> String {
    format!(r#"{{"turns": [{{"steps": [], "hostile": {{"switch": {switch}}}}}]}}"#)
}

#[test]
fn an_unknown_model_is_named() {
    check_run(HELLO, "no-such-model", &["404", "no-such-model", "model's name"]);
}

#[test]
fn an_answer_that_is_none_is_said() {
    check_run(&hostile(r#""html""#), "m", &["HTML"]);
    check_run(&hostile(r#""not_json""#), "m", &["not JSON"]);
    check_run(&hostile(r#""status", "status": 400"#), "m", &["400"]);
}

#[test]
fn a_provider_that_stays_empty_is_given_up() {
    check_run(&hostile(r#""empty""#), "m", &["asking again in", "the answer was empty"]);
}

#[test]
fn a_provider_that_stays_broken_is_given_up() {
    check_run(&hostile(r#""status", "status": 500"#), "m", &["500", "after 5 attempts"]);
}

#[test]
fn a_wrong_key_is_said_without_the_key() {
    for (wire, variable) in [("openai-chat", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")] {
        let windlass = Windlass::new();
        let provider = windlass.provider(HELLO);
        let arguments =
            ["run", "task", "--base-url", &provider.base_url(), "--wire", wire, "--model", "m", "--yes"];
        let ended = windlass.run_with(&arguments, &[(variable, "wrong-key")], "");
        check_ended(&ended, &["401", variable]);
        check_no_key(&windlass, &ended, "wrong-key");
        assert_eq!(provider.requests().len(), 1, "a wrong key is not tried twice");
    }
}

#[test]
fn a_run_that_goes_well_keeps_no_key() {
    let windlass = Windlass::new();
    let provider = windlass.provider(
        r#"{"turns": [{"steps": [{"call": {"name": "run_command", "arguments": {"command": "env; echo seen"}}}]},
            {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#,
    );
    let arguments = ["run", "task", "--base-url", &provider.base_url(), "--model", "m", "--yes", "--json"];
    let ended = windlass.run_with(&arguments, &[("OPENAI_API_KEY", KEY)], "");
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("seen"), "{}", ended.out);
    check_no_key(&windlass, &ended, KEY);
    assert!(!provider.requests().iter().any(|request| request.body.to_string().contains(KEY)));
}
