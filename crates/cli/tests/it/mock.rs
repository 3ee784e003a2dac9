//! `windlass mock`, with `windlass run` as its client.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::program::{Place, provider, text, wire_formats};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "made.txt", "content": "by a script"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}}}]}
]}"#;

#[test]
fn a_script_drives_a_run_in_every_format() {
    for wire in wire_formats() {
        let place = Place::new();
        std::fs::write(place.folder.path().join("script.json"), SCRIPT).unwrap();
        let mut mock = place
            .command(&["mock", "--script", "../script.json", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(mock.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["base_url"].as_str().unwrap();
        let ended = place.run(&["run", "task", "--base-url", url, "--wire", wire, "--model", "m", "--yes"]);
        mock.kill().unwrap();
        mock.wait().unwrap();
        assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
        assert!(text(&ended.stdout).contains("it is written"));
        assert_eq!(std::fs::read_to_string(place.project().join("made.txt")).unwrap(), "by a script");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_denied_calls_changes_nothing_and_continues() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let run = ["run", "task", "--base-url", &url, "--model", "m"];
    let ended = place.run(&[&run[..], &["--deny"]].concat());
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(!place.project().join("made.txt").exists());
    assert!(provider.requests()[1].body.to_string().contains("started with --deny"));
    // Without a terminal and without an answer in advance, it prints the question, and is suspended.
    let ended = place.run(&run);
    assert_eq!(ended.status.code(), Some(75));
    let told = text(&ended.stdout) + &text(&ended.stderr);
    for part in
        ["write_file wants to run", "by a script", "windlass approvals list", "windlass run --resume "]
    {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(!place.project().join("made.txt").exists());
    provider.shutdown().await;
}
