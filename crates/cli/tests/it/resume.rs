//! A run that was killed in the middle of a call goes on in another process.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use crate::windlass::Windlass;

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo $$ > started; exec sleep 30"}, "id": "call_slow"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "looked, and done"}}}]}
]}"#;

/// The only run in the state folder.
fn run_folder(windlass: &Windlass) -> PathBuf {
    let mut runs: Vec<PathBuf> =
        fs::read_dir(windlass.state().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// What may stand at the end of the journal when the program is killed.
enum Tail {
    Whole,
    Torn(&'static [u8]),
}

/// Kills a run during its call, resumes it, and gives what the second process said.
#[track_caller]
fn check(wire: &str, tail: &Tail, said: &str) {
    let windlass = Windlass::new();
    let provider = windlass.provider(SCRIPT);
    let (url, root) = (provider.base_url(), windlass.root());
    let (child, pid) = windlass.start_until(
        &[
            "run",
            "task",
            "--base-url",
            &url,
            "--wire",
            wire,
            "--model",
            "m",
            "--yes",
            "--root",
            root.to_str().unwrap(),
        ],
        &root.join("started"),
    );
    windlass.kill(child);
    // A process that is killed cannot end its children; this one is the test's.
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let folder = run_folder(&windlass);
    if let Tail::Torn(bytes) = tail {
        OpenOptions::new().append(true).open(folder.join("journal")).unwrap().write_all(bytes).unwrap();
    }
    let ended = windlass.run(&["run", "--resume", folder.file_name().unwrap().to_str().unwrap(), "--yes"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("looked, and done"), "{}", ended.out);
    assert_eq!(ended.err.contains("had been cut by a crash"), matches!(tail, Tail::Torn(_)), "{}", ended.err);
    assert!(ended.err.contains(said), "{said} is not in {}", ended.err);
    let requests = provider.requests();
    assert_eq!(requests.iter().map(|request| request.status).collect::<Vec<_>>(), [200, 200]);
    // The model hears that nobody knows what the call did, and under the call's own id.
    let sent = requests[1].body["messages"].to_string();
    assert!(sent.contains("nobody knows what it did"), "{sent}");
    assert_eq!(sent.matches("call_slow").count(), 2, "{sent}");
}

// R6
#[test]
fn a_run_that_is_killed_in_a_call_goes_on_in_both_formats() {
    check("openai-chat", &Tail::Whole, "journal: ");
    check("anthropic", &Tail::Whole, "journal: ");
}

#[test]
fn a_record_that_a_crash_has_torn_is_dropped_and_said() {
    check("openai-chat", &Tail::Torn(b"garbage"), "its 7 bytes were dropped");
    check("anthropic", &Tail::Torn(b"{\"seq\":9,\"at\xff"), "bytes were dropped");
}

#[test]
fn a_run_that_is_over_says_so() {
    let windlass = Windlass::new();
    let provider = windlass.provider(r#"{"turns": [{"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#);
    let first = windlass.run(&["run", "task", "--base-url", &provider.base_url(), "--model", "m", "--yes"]);
    assert_eq!(first.code, Some(0), "{}{}", first.out, first.err);
    let id = run_folder(&windlass).file_name().unwrap().to_str().unwrap().to_owned();
    let again = windlass.run(&["run", "--resume", &id, "--yes"]);
    assert_eq!(again.code, Some(1), "{}", again.out);
    assert!(again.err.contains("the run is completed; there is nothing to go on with"), "{}", again.err);
    assert_eq!(provider.requests().len(), 1, "a run that is over asks for nothing");
}
