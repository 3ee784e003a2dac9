//! A run that leaves its cassette at a call, with another answer.

use serde_json::json;
use windlass_agent::Outcome;
use windlass_cassette::{CassetteError, Fork, Player, Recorder};
use windlass_protocol::CallId;
use windlass_tool::Output;

use crate::scene::{Change, SCRIPT, live, played, record, recorded, run, wire, wires};

fn fork(call: &str) -> Fork {
    Fork::new(CallId::new(call).unwrap(), Output::text("it was locked"))
}

/// The provider that the forked run meets: from the second turn on it goes another way.
const OTHER: &str = r#"{"turns": [
    {"steps": [{"text": "never asked"}]},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 7}, "id": "other"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "unlocked"}, "id": "end"}}]}]}"#;

#[tokio::test]
async fn a_fork_continues_live_after_the_changed_call() {
    let folder = tempfile::tempdir().unwrap();
    for wire in wires() {
        let (file, url) = record(folder.path(), &wire, SCRIPT).await;
        // The recorded requests went to the address of the first provider; the live part goes to it too.
        let port: u16 = url.rsplit_once(':').unwrap().1.parse().unwrap();
        let script = windlass_mock::Script::parse(OTHER).unwrap();
        let other = windlass_mock::ScriptedProvider::start(script, port).await.unwrap();
        let (player, tool) = (Player::fork(&file, fork("c1")).unwrap(), Change::new());
        let again = folder.path().join(format!("{}-forked.jsonl", wire.name()));
        let recorder = Recorder::create(&again, json!({}), []).unwrap();
        let parts = recorded(&recorder, played(&player, live(&tool)));
        let outcome = run(&url, &wire, parts, "task").await;
        assert_eq!(outcome, Outcome::Completed { text: "unlocked".into() }, "{}", wire.name());
        assert_eq!(tool.count(), 1, "only the call after the fork runs");
        let asked = other.requests();
        assert_eq!(asked.len(), 2);
        assert!(asked[0].body.to_string().contains("it was locked"), "{}", wire.name());
        assert_eq!(player.differences(), []);
        recorder.finish().unwrap();
        other.shutdown().await;

        // The fork was recorded as a complete cassette, which can be replayed without the first one.
        let (player, tool) = (Player::open(&again).unwrap(), Change::new());
        let outcome = run(&url, &wire, played(&player, live(&tool)), "task").await;
        assert_eq!(outcome, Outcome::Completed { text: "unlocked".into() });
        assert_eq!((player.differences().len(), tool.count()), (0, 0));
    }
}

#[tokio::test]
async fn an_unknown_call_is_an_error_that_lists_the_recorded_calls() {
    let folder = tempfile::tempdir().unwrap();
    let wire = wire();
    let (file, _) = record(folder.path(), &wire, SCRIPT).await;
    let error = Player::fork(&file, fork("nope")).unwrap_err();
    assert!(matches!(error, CassetteError::UnknownCall { .. }));
    let expected = "the cassette has no call nope; it has c1 (change), c2 (change), c3 (attempt_completion)";
    assert_eq!(error.to_string(), expected);
}
