//! Another program answers: questions and answers as files in a folder.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo first > made"}}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo second > made"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// Waits for a question. The time only limits a broken test.
fn question(folder: &Path, child: &mut Child, but: Option<&str>) -> Value {
    let began = Instant::now();
    loop {
        let names = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        let mut asked = names.filter(|path| path.to_str().unwrap().ends_with(".request.json"));
        if let Some(file) = asked.find(|path| but.is_none_or(|but| !path.to_str().unwrap().contains(but))) {
            return serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        }
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it asked");
        assert!(began.elapsed() < Duration::from_mins(1), "nothing was asked");
        std::thread::yield_now();
    }
}

fn answer(folder: &Path, answer: &Value) {
    let id = answer["request_id"].as_str().unwrap();
    std::fs::write(folder.join("making"), answer.to_string()).unwrap();
    std::fs::rename(folder.join("making"), folder.join(format!("{id}.decision.json"))).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_approves_and_denies() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let (url, folder) = (provider.base_url(), place.folder.path().join("approvals"));
    let mut child = place
        .command(&[
            "run",
            "do it",
            "--base-url",
            &url,
            "--model",
            "m",
            "--approve-in",
            folder.to_str().unwrap(),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = question(&folder, &mut child, None);
    let id = first["request"]["request_id"].as_str().unwrap();
    assert!(first["request"]["call"].to_string().contains("echo first > made"), "{first}");
    std::fs::write(folder.join("stranger.decision.json"), "{}").unwrap();
    answer(&folder, &json!({"request_id": id, "approved": true, "digest": first["request"]["digest"]}));
    let second = question(&folder, &mut child, Some(id));
    let id = second["request"]["request_id"].as_str().unwrap();
    answer(&folder, &json!({"request_id": id, "approved": false, "reason": "once is enough"}));
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("\"stranger.decision.json\" is refused: no open question has this id"), "{told}");
    assert_eq!(std::fs::read_to_string(place.project().join("made")).unwrap(), "first\n");
    assert!(provider.requests()[2].body.to_string().contains("once is enough"));
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["refused"]);
    assert_eq!(place.windows(), ["approval folder", "approval folder"]);
}

#[test]
fn a_folder_that_the_tools_reach_is_refused() {
    let place = Place::new();
    for folder in ["approvals", ".", ".."] {
        std::fs::create_dir_all(place.project().join(folder)).unwrap();
        let url = "http://127.0.0.1:1/v1";
        let output = place.run(&["run", "x", "--base-url", url, "--model", "m", "--approve-in", folder]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("could approve their own calls"), "{}", text(&output.stderr));
    }
    let output = place.run(&["run", "x", "--model", "m", "--approve-in", "x", "--yes"]);
    assert_eq!(output.status.code(), Some(2), "one way to answer, not two");
}
