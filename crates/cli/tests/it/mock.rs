//! `windlass mock`, with `windlass run` as its client.

use serde_json::Value;

use crate::windlass::Windlass;

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "made.txt", "content": "by a script"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}}}]}
]}"#;

#[test]
fn a_script_drives_a_run_in_both_formats() {
    for wire in ["openai-chat", "anthropic"] {
        let windlass = Windlass::new();
        let script = windlass.file("script.json", SCRIPT);
        let (mock, line) = windlass.start(&["mock", "--script", &script, "--json"]);
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["base_url"].as_str().unwrap();
        let ended =
            windlass.run(&["run", "task", "--base-url", url, "--wire", wire, "--model", "m", "--yes"]);
        windlass.kill(mock);
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        assert!(ended.out.contains("it is written"), "{}", ended.out);
        assert_eq!(std::fs::read_to_string(windlass.root().join("made.txt")).unwrap(), "by a script");
    }
}

#[test]
fn a_run_that_is_denied_changes_nothing_and_goes_on() {
    let windlass = Windlass::new();
    let provider = windlass.provider(SCRIPT);
    let run = ["run", "task", "--base-url", &provider.base_url(), "--model", "m"];
    let ended = windlass.run(&[&run[..], &["--deny"]].concat());
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(!windlass.root().join("made.txt").exists());
    assert!(provider.requests()[1].body.to_string().contains("started with --deny"));
    // Without a terminal and without an answer given beforehand, it says what it would ask, and ends.
    let ended = windlass.run(&run);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    for part in ["write_file wants to run", "by a script", "--yes", "go on with: windlass run --resume "] {
        assert!(ended.err.contains(part), "{part} is not in {}", ended.err);
    }
    assert!(!windlass.root().join("made.txt").exists());
}
