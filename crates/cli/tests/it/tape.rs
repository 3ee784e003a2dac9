//! `windlass run --record`, `--replay`, and `windlass fork`.

use windlass_testkit::script::Script;
use windlass_testkit::server::ScriptedProvider;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I write it."}, {"call": {"name": "write_file", "arguments": {"path": "made.txt", "content": "by a script"}, "id": "w1"}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "cat made.txt; echo $PLANTED_TOKEN"}, "id": "r1"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}, "id": "done"}}]}]}"#;

const FORMATS: [&str; 4] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

/// A recorded run, whose provider is gone; and the provider's port.
async fn recorded(place: &Place, wire: &str) -> u16 {
    let provider = provider(SCRIPT).await;
    let url = provider.base_url();
    let run = [
        "run",
        "task",
        "--base-url",
        &url,
        "--wire",
        wire,
        "--model",
        "m",
        "--yes",
        "--record",
        "../run.jsonl",
    ];
    let ended = place
        .command(&run)
        .env("OPENAI_API_KEY", "sk-planted-in-a-header")
        .env("ANTHROPIC_API_KEY", "sk-planted-in-a-header")
        .env("GEMINI_API_KEY", "sk-planted-in-a-header")
        .env("PLANTED_TOKEN", "planted-in-the-environment")
        // A word that the system prompt has as well, which is then not the same when it is played.
        .env("ODD_KEY", "careful coding agent")
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
    provider.shutdown().await;
    url.rsplit_once(':').unwrap().1.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_happens_again_without_a_network_and_changes_nothing() {
    for wire in FORMATS {
        let place = Place::new();
        recorded(&place, wire).await;
        let made = place.project().join("made.txt");
        std::fs::remove_file(&made).unwrap();
        let again = place.run(&["run", "--replay", "../run.jsonl"]);
        assert!(again.status.success(), "{wire}: {}{}", text(&again.stdout), text(&again.stderr));
        assert!(text(&again.stdout).contains("it is written"), "{}", text(&again.stdout));
        assert!(text(&again.stderr).contains("the run went as it was recorded"), "{}", text(&again.stderr));
        assert!(!made.exists(), "a replay runs no tool");
        let cassette = std::fs::read_to_string(place.folder.path().join("run.jsonl")).unwrap();
        for planted in ["planted-in-a-header", "planted-in-the-environment"] {
            assert!(!cassette.contains(planted), "{wire}: {planted}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_differs_is_an_error_that_says_where() {
    let place = Place::new();
    recorded(&place, "openai-chat").await;
    let file = place.folder.path().join("run.jsonl");
    let cassette = std::fs::read_to_string(&file).unwrap();
    // The tool that ran gives back something else now, so the next request is another one.
    let change = |line: &str| {
        let from = if line.contains(r#""tool":"run_command""#) { "by a script" } else { "\0" };
        line.replace(from, "by nobody")
    };
    let changed: Vec<String> = cassette.lines().map(change).collect();
    assert_ne!(changed.join("\n"), cassette.trim_end());
    std::fs::write(&file, changed.join("\n") + "\n").unwrap();
    let again = place.run(&["run", "--replay", "../run.jsonl"]);
    assert_eq!(again.status.code(), Some(1));
    let told = text(&again.stdout) + &text(&again.stderr);
    assert!(told.contains("the replay differs"), "{told}");
    let missing = place.run(&["run", "--replay", "../nothing.jsonl"]);
    assert!(text(&missing.stderr).contains("nothing.jsonl cannot be read"), "{}", text(&missing.stderr));
    let taken = place.run(&[
        "run",
        "t",
        "--base-url",
        "http://127.0.0.1:9",
        "--model",
        "m",
        "--yes",
        "--record",
        "../run.jsonl",
    ]);
    assert!(text(&taken.stderr).contains("never written over"), "{}", text(&taken.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_goes_on_with_another_answer() {
    const OTHER: &str = r#"{"turns": [
        {"steps": [{"text": "never asked"}]},
        {"steps": [{"call": {"name": "write_file", "arguments": {"path": "other.txt", "content": "x"}, "id": "w2"}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "went another way"}, "id": "end"}}]}]}"#;
    for wire in FORMATS {
        let place = Place::new();
        let port = recorded(&place, wire).await;
        let other = ScriptedProvider::start(Script::parse(OTHER).unwrap(), port).await.unwrap();
        let fork =
            ["fork", "../run.jsonl", "--at", "w1", "--status", "error", "--answer", "the disk is full"];
        let ended = place.run(&[&fork[..], &["--yes", "--record", "../forked.jsonl"]].concat());
        let told = text(&ended.stdout) + &text(&ended.stderr);
        assert!(ended.status.success(), "{wire}: {told}");
        assert!(told.contains("went another way"), "{told}");
        assert!(place.project().join("other.txt").exists());
        let asked = other.requests();
        assert_eq!(asked.len(), 2, "{wire}");
        assert!(asked[0].body.to_string().contains("the disk is full"), "{wire}");
        other.shutdown().await;
        let again = place.run(&["run", "--replay", "../forked.jsonl"]);
        assert!(again.status.success(), "{}", text(&again.stderr));
        let nowhere = place.run(&["fork", "../run.jsonl", "--at", "nope", "--answer", "x"]);
        assert!(
            text(&nowhere.stderr).contains("it has w1 (write_file), r1 (run_command)"),
            "{}",
            text(&nowhere.stderr)
        );
    }
}
