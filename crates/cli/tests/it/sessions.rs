//! `windlass sessions`, `run --continue` and the feed of `run --json`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;
use windlass_mock::{Script, ScriptedProvider};

use crate::program::{Place, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I look."}, {"call": {"name": "list_files", "arguments": {"path": "."}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "looked"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "wrote more"}}}]}
]}"#;

fn lines(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn ok(place: &Place, arguments: &[&str]) -> Vec<u8> {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    output.stdout
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_listed_continued_renamed_exported_and_deleted() {
    let provider = ScriptedProvider::start(Script::parse(SCRIPT).unwrap(), 0).await.unwrap();
    let (place, url) = (Place::new(), provider.base_url());
    tokio::task::spawn_blocking(move || {
        let run =
            ["run", "look around", "--model", "scripted-1", "--base-url", &url, "--sandbox", "off", "--json"];
        let feed = lines(&ok(&place, &run));
        let header = feed.first().unwrap();
        assert_eq!(header["feed"], 1);
        let session = header["session"].as_str().unwrap().to_owned();
        assert_eq!(header["run"], session.as_str());
        let numbered: Vec<&Value> = feed.iter().filter(|event| event["kind"] == "text").collect();
        assert_eq!(numbered.len(), 1, "{feed:#?}");
        assert_eq!(feed.last().unwrap()["kind"], "run_ended");

        let more =
            lines(&ok(&place, &["run", "more", "--continue", "last", "--autonomy", "auto-edit", "--json"]));
        assert_eq!(more.first().unwrap()["session"], session.as_str());
        let last = more.last().unwrap();
        assert_eq!(last["outcome"]["text"], "wrote more");
        // The records give the same events, from any number on.
        let all = lines(&ok(&place, &["sessions", "show", "last", "--json"]));
        let seqs: Vec<u64> = all.iter().skip(1).map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=last["seq"].as_u64().unwrap()).collect::<Vec<_>>());
        let rest = lines(&ok(&place, &["sessions", "show", &session, "--json", "--after", "3"]));
        assert_eq!(rest.get(1..), all.get(4..));

        ok(&place, &["sessions", "rename", &session[..6], "a new name"]);
        let listed = lines(&ok(&place, &["sessions", "list", "--json"]));
        assert_eq!(listed.len(), 1);
        assert_eq!(
            (&listed[0]["name"], &listed[0]["state"]),
            (&Value::from("a new name"), &Value::from("ended"))
        );
        assert_eq!(listed[0]["runs"].as_array().unwrap().len(), 2);
        let shown = text(&ok(&place, &["sessions", "show", "last"]));
        assert!(shown.contains("a new name") && shown.contains("continues"), "{shown}");
        let document = text(&ok(&place, &["sessions", "export", "last"]));
        assert!(document.contains("## Task\n\nlook around") && document.contains("wrote more"), "{document}");
        let json: Value =
            serde_json::from_slice(&ok(&place, &["sessions", "export", "last", "--format", "json"])).unwrap();
        assert_eq!(json["events"].as_array().unwrap().len(), seqs.len());

        let kept = text(&ok(&place, &["sessions", "prune", "--older-than", "1d", "--json"]));
        assert_eq!(kept, "");
        let refused = place.run(&["sessions", "delete", "nothing"]);
        assert!(text(&refused.stderr).contains("there is no session nothing"), "{}", text(&refused.stderr));
        ok(&place, &["sessions", "delete", &session]);
        assert_eq!(text(&ok(&place, &["sessions", "list"])), "no sessions\n");
    })
    .await
    .unwrap();
    provider.shutdown().await;
}

const SLEEPY: &str = r#"{"turns": [
    {"steps": [{"text": "I sleep."}, {"call": {"name": "run_command", "arguments": {"command": "sleep 60"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "awake"}}}]}
]}"#;

fn numbers(events: &[Value]) -> Vec<u64> {
    const DELTAS: [&str; 4] = ["started", "ended", "delta", "note"];
    let is_delta = |kind: &str| {
        kind == "call_output"
            || (DELTAS.iter().any(|end| kind.ends_with(end))
                && !["run_started", "run_ended", "turn_ended"].contains(&kind))
    };
    let numbered = events.iter().filter(|event| event["kind"].as_str().is_some_and(|kind| !is_delta(kind)));
    numbered.map(|event| event["seq"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_the_feed_continues_with_the_next_number() {
    let provider = ScriptedProvider::start(Script::parse(SLEEPY).unwrap(), 0).await.unwrap();
    let (place, url) = (Place::new(), provider.base_url());
    tokio::task::spawn_blocking(move || {
        let run = [
            "run",
            "sleep",
            "--model",
            "scripted-1",
            "--base-url",
            &url,
            "--sandbox",
            "off",
            "--yes",
            "--json",
        ];
        let mut child = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut before = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let is_running = event["kind"] == "call_running";
            before.push(event);
            if is_running {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let listed = lines(&ok(&place, &["sessions", "list", "--json"]));
        assert_eq!(listed[0]["state"], "interrupted", "{listed:?}");

        let after = lines(&ok(&place, &["run", "--resume", "last", "--yes", "--json"]));
        let all = lines(&ok(&place, &["sessions", "show", "last", "--json"]));
        assert_eq!([numbers(&before), numbers(&after)].concat(), numbers(&all));
        assert_eq!(numbers(&all), (1..=numbers(&all).len() as u64).collect::<Vec<_>>());
        let same = |events: &[Value]| -> Vec<Value> {
            let numbered = numbers(events);
            all.iter()
                .filter(|event| numbered.contains(&event["seq"].as_u64().unwrap_or_default()))
                .cloned()
                .collect()
        };
        for event in
            before.iter().chain(&after).filter(|event| !numbers(std::slice::from_ref(*event)).is_empty())
        {
            assert!(same(std::slice::from_ref(event)).contains(event), "{event}");
        }
        assert!(after.iter().any(|event| event["kind"] == "run_resumed"), "{after:?}");
    })
    .await
    .unwrap();
    provider.shutdown().await;
}

#[test]
fn missing_token_counts_are_not_shown_as_zero() {
    let place = Place::new();
    // No server listens at the address, so the run fails without an answer.
    let failed =
        place.run(&["run", "x", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--retry-for", "0"]);
    let notes = text(&failed.stderr);
    let id = place.run_id();
    assert!(notes.contains(&format!("run {id}\n")), "the id is known from the start: {notes}");
    for arguments in [["sessions", "show", "last"], ["sessions", "export", "last"]] {
        let shown = text(&ok(&place, &arguments));
        assert!(shown.contains("the provider reported no tokens"), "{shown}");
    }
}
