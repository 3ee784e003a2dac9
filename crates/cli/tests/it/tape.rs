//! `windlass run --record`, `--replay`, and `windlass fork`.

use windlass_mock::{Script, ScriptedProvider};

use crate::program::{Place, provider, text, wire_formats};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I write it."}, {"call": {"name": "write_file", "arguments": {"path": "made.txt", "content": "by a script"}, "id": "w1"}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "cat made.txt; echo $PLANTED_TOKEN"}, "id": "r1"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}, "id": "done"}}]}]}"#;

/// Records a run whose provider then ends. Returns the port of the provider too.
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
        // This secret is also a text in the system prompt, so the recorded prompt differs from the one of the replay.
        .env("ODD_KEY", "careful coding agent")
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
    provider.shutdown().await;
    url.rsplit_once(':').unwrap().1.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_happens_again_without_a_network_and_changes_nothing() {
    for wire in wire_formats() {
        let place = Place::new();
        recorded(&place, wire).await;
        let made = place.project().join("made.txt");
        std::fs::remove_file(&made).unwrap();
        let again = place.run(&["run", "--replay", "../run.jsonl"]);
        assert!(again.status.success(), "{wire}: {}{}", text(&again.stdout), text(&again.stderr));
        assert!(text(&again.stdout).contains("it is written"), "{}", text(&again.stdout));
        assert!(text(&again.stderr).contains("the run matches its recording"), "{}", text(&again.stderr));
        assert!(!made.exists(), "a replay runs no tool");
        let cassette = std::fs::read_to_string(place.folder.path().join("run.jsonl")).unwrap();
        for planted in ["planted-in-a-header", "planted-in-the-environment"] {
            assert!(!cassette.contains(planted), "{wire}: {planted}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_difference_is_an_error_with_its_place() {
    let place = Place::new();
    recorded(&place, "openai-chat").await;
    let file = place.folder.path().join("run.jsonl");
    let cassette = std::fs::read_to_string(&file).unwrap();
    // Change the recorded result of a tool, so that the next request differs.
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
    assert!(text(&taken.stderr).contains("never overwrites"), "{}", text(&taken.stderr));
}

const OTHER: &str = r#"{"turns": [
        {"steps": [{"text": "never asked"}]},
        {"steps": [{"call": {"name": "write_file", "arguments": {"path": "other.txt", "content": "x"}, "id": "w2"}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "went another way"}, "id": "end"}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_continues_with_another_answer() {
    for wire in wire_formats() {
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

const ANOTHER_WAY: &str = r#"{"turns": [{"steps": [{"text": "never asked"}]}, {"steps": [{"text": "never asked"}]},
        {"steps": [{"text": "never asked"}]},
        {"steps": [{"call": {"id": "end", "name": "attempt_completion", "arguments": {"result": "went another way"}}}]}]}"#;

// correctness-3 2 and 3: providers without ids lead to the same synthesized ids for the calls of an agent and those
// of its parent.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_agents_is_replayed_and_forked_although_their_calls_have_the_same_ids() {
    const SCRIPT: &str = r#"{"turns": [
        {"steps": [{"call": {"id": "call_1_0", "name": "sub_agent_scribe", "arguments": {"task": "write"}}}]},
        {"steps": [{"call": {"id": "call_2_0", "name": "list_files", "arguments": {"path": "."}}}]},
        {"steps": [{"call": {"id": "last", "name": "attempt_completion", "arguments": {"result": "all done"}}}]}],
        "parts": {"You are the scribe.": [
        {"steps": [{"call": {"id": "call_1_0", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
        {"steps": [{"call": {"id": "call_2_0", "name": "read_file", "arguments": {"path": "one.txt"}}}]},
        {"steps": [{"text": "one.txt is written"}]}]}}"#;
    const SCRIBE: &str = "---\nname: scribe\ndescription: Writes what it is told.\ntools: write_file, read_file\n---\nYou are the scribe.\n";
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let agents = place.project().join(".windlass/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("scribe.md"), SCRIBE).unwrap();
    let url = provider.base_url();
    let run = ["run", "go", "--base-url", &url, "--model", "m", "--feature", "project_agents", "--yes"];
    let ended = place.run(&[&run[..], &["--record", "../run.jsonl"]].concat());
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success() && told.contains("all done"), "{told}");
    provider.shutdown().await;
    std::fs::remove_file(place.project().join("one.txt")).unwrap();

    let again = place.run(&["run", "--replay", "../run.jsonl"]);
    let told = text(&again.stdout) + &text(&again.stderr);
    assert!(again.status.success() && told.contains("the run matches its recording"), "{told}");
    assert!(!place.project().join("one.txt").exists(), "a replay runs no tool");

    let port: u16 = url.rsplit_once(':').unwrap().1.parse().unwrap();
    let other = ScriptedProvider::start(Script::parse(ANOTHER_WAY).unwrap(), port).await.unwrap();
    let fork = ["fork", "../run.jsonl", "--at", "last", "--status", "error", "--answer", "not yet", "--yes"];
    let ended = place.run(&fork);
    let told = text(&ended.stdout) + &text(&ended.stderr);
    assert!(ended.status.success() && told.contains("went another way"), "{told}");
    other.shutdown().await;
}
