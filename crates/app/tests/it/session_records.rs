//! The records of sessions: tokens with those of sub-agents, changed arguments, who answered, and runs without a session.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
#[cfg(feature = "subagent")]
use windlass_agent::Prices;
use windlass_app::Notice;
use windlass_app::assembly::People;
use windlass_app::feed::{FeedEvent, FeedKind, QuestionEnd};
use windlass_app::runs::{Session, SessionOptions};
use windlass_app::sessions::{Answer, ExportFormat, RunEnd, SessionState, Sessions, export};
use windlass_protocol::Arguments;
use windlass_testkit::{Need, require};

use crate::feed::{Scene, TWO_CALLS, check_numbers, follow, numbered};
use crate::schema::check_events;

#[cfg(feature = "subagent")]
const DELEGATES: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "hand", "name": "sub_agent_scribe", "arguments": {"task": "write one.txt"}}}],
        "usage": {"input": 1000, "output": 10}},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}],
        "usage": {"input": 2000, "output": 20}}],
    "parts": {"You are the scribe.": [
    {"steps": [{"call": {"id": "write", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}],
        "usage": {"input": 400, "output": 4}},
    {"steps": [{"text": "one.txt is written"}], "usage": {"input": 500, "output": 5}}]}}"#;

// Regression test: the record of a session and the feed left out the tokens and the cost of sub-agents.
#[cfg(feature = "subagent")]
#[tokio::test(flavor = "multi_thread")]
async fn the_tokens_of_a_session_are_those_of_the_run_and_its_sub_agents() {
    let scene = Scene::new(DELEGATES).await;
    let agents = scene.place.app.settings_folder().unwrap().join("agents");
    fs::create_dir_all(&agents).unwrap();
    let scribe = "---\nname: scribe\ndescription: Writes.\ntools: write_file\n---\nYou are the scribe.\n";
    fs::write(agents.join("scribe.md"), scribe).unwrap();
    let host = scene.host();
    let mut settings = scene.settings("let the scribe write one.txt");
    settings.offering.features.push("agents".to_owned());
    settings.budget.prices = Prices { input: 3_000_000, output: 15_000_000, ..Prices::default() };
    let run = host.start(settings).await.unwrap();
    let live = follow(&host, &run, Answer::Once { comment: None }).await;
    check_events(&live);
    let of_run = |event: &FeedEvent| match &event.kind {
        FeedKind::RunEnded { total, .. } => Some((event.agent.is_some(), *total)),
        _ => None,
    };
    let ends: Vec<_> = live.iter().filter_map(of_run).collect();
    let [(true, agent), (false, whole)] = ends.as_slice() else { panic!("{ends:?}") };
    assert_eq!((agent.input, agent.output), (900, 9));
    assert_eq!((whole.input, whole.output), (3900, 39));
    assert_eq!((agent.cost, whole.cost), (900 * 3 + 9 * 15, 3900 * 3 + 39 * 15));
    let sessions = Sessions::new(&scene.place.app).unwrap();
    assert_eq!(sessions.find("last").unwrap().total(), *whole);

    // The records of the run give the same figure.
    let recorded = sessions.events(&sessions.find("last").unwrap(), None).unwrap();
    check_numbers(&recorded);
    assert_eq!(numbered(&live), recorded);
    fs::remove_file(scene.place.app.state_folder().unwrap().join("sessions.jsonl")).unwrap();
    let found = Sessions::new(&scene.place.app).unwrap().find("last").unwrap();
    assert!(found.is_found);
    assert_eq!(found.total(), *whole);
}

fn closings(events: &[FeedEvent]) -> Vec<(QuestionEnd, Option<String>)> {
    let closing = |event: &FeedEvent| match &event.kind {
        FeedKind::QuestionClosed { closing, by, .. } => Some((closing.clone(), by.clone())),
        _ => None,
    };
    events.iter().filter_map(closing).collect()
}

const ONE_CALL: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "a"}}}]},
    {"steps": [{"text": "Both files are written."}]}
]}"#;

// Regression test: the feed had an approval with changed arguments as a plain one.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_with_changed_arguments_is_recorded_with_them() {
    for (content, is_changed) in [("b", true), ("a", false)] {
        let scene = Scene::new(ONE_CALL).await;
        let host = scene.host();
        let run = host.start(scene.settings("write a file")).await.unwrap();
        let arguments = serde_json::json!({"path": "a.txt", "content": content});
        let answer = Answer::Edited {
            arguments: Arguments::parse(arguments.to_string()).unwrap(),
            comment: Some("like this".to_owned()),
        };
        let mut feed = host.watch(run.session(), None).await.unwrap();
        let mut live = Vec::new();
        while !live.last().is_some_and(|event: &FeedEvent| matches!(event.kind, FeedKind::RunEnded { .. })) {
            let event = tokio::time::timeout(Duration::from_secs(20), feed.next()).await.unwrap().unwrap();
            if let FeedKind::QuestionOpened { question, .. } = &event.kind {
                // The answer also covers the question about the changed call, which is closed at once.
                drop(host.answer(run.session(), question, answer.clone(), "window 1").await);
            }
            live.push(event);
        }
        run.wait().await;
        check_events(&live);
        assert_eq!(fs::read_to_string(scene.place.project().join("a.txt")).unwrap(), content);
        let closings = closings(&live);
        assert!(!closings.is_empty());
        assert!(closings.iter().all(|(_, by)| by.as_deref() == Some("window 1")), "{closings:?}");
        let expected = QuestionEnd::Approved {
            remembered: false,
            arguments: is_changed.then(|| arguments.clone()),
            comment: Some("like this".to_owned()),
        };
        assert_eq!(closings[0].0, expected);

        let sessions = Sessions::new(&scene.place.app).unwrap();
        let record = sessions.find("last").unwrap();
        assert_eq!(numbered(&live), sessions.events(&record, None).unwrap());
        let document = export(&sessions, &record, ExportFormat::Markdown).unwrap();
        let mark = "Answer: yes, with changed arguments: like this (in window 1). A person changed";
        assert_eq!(document.contains(mark), is_changed, "{document}");
        assert_eq!(document.contains("\"content\": \"b\""), is_changed, "{document}");
        // Regression test: an answer in words was in the document twice.
        assert_eq!(document.matches("Both files are written.").count(), 1, "{document}");
        assert!(document.ends_with("## Completed\n"), "{document}");
    }
}

// Regression test: only the windows of a host were named.
#[tokio::test(flavor = "multi_thread")]
async fn the_record_names_the_place_of_every_answer() {
    let people = [
        (People::approve_all(), Some("option --yes")),
        (People::new(windlass_agent::ApproveAll).with_window("terminal"), Some("terminal")),
        (People::new(windlass_agent::ApproveAll), None),
    ];
    for (people, expected) in people {
        let scene = Scene::new(TWO_CALLS).await;
        let options = SessionOptions::new(people);
        let mut session = Session::start(&scene.place.app, scene.settings("write"), &options).await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = session.events.next().await {
            let event = event.unwrap();
            events.extend(session.feed.observe(&event).unwrap());
        }
        events.extend(session.feed.settle().unwrap());
        let closings = closings(&events);
        assert_eq!(closings.len(), 2, "{closings:?}");
        assert!(closings.iter().all(|(_, by)| by.as_deref() == expected), "{expected:?}: {closings:?}");
    }
}

fn set_modified(file: &Path, time: SystemTime) {
    File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
}

// Regression test: a run without a session was an interrupted one if its diff followed its end, and the listing read the
// records of a copied run each time.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_session_has_the_state_of_its_records_and_is_read_once() {
    require!(Need::Git, std::process::Command::new("git").arg("--version").output());
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let mut settings = scene.settings("write two files");
    settings.no_checkpoints = false;
    let run = host.start(settings).await.unwrap();
    follow(&host, &run, Answer::Once { comment: None }).await;
    assert!(matches!(run.wait().await, RunEnd::Outcome(_)));
    let last = host.read(run.session(), None).await.unwrap().pop().unwrap();
    assert!(matches!(last.kind, FeedKind::RunDiff { .. }), "{last:?}");
    let state = scene.place.app.state_folder().unwrap();
    let read_newest = || Sessions::new(&scene.place.app).unwrap().list().unwrap().pop().unwrap();
    let index = state.join("sessions.jsonl");
    fs::remove_file(&index).unwrap();
    assert_eq!((read_newest().state, read_newest().is_found), (SessionState::Ended, true));

    // A run that was killed and then copied.
    let journal = scene.place.app.find_run(run.run()).unwrap().journal();
    let whole = fs::read_to_string(&journal).unwrap();
    let cut = whole.trim_end().rsplit_once('\n').unwrap().0;
    fs::write(&journal, format!("{cut}\n")).unwrap();
    let copied = SystemTime::now() + Duration::from_mins(1);
    set_modified(&journal, copied);
    fs::remove_file(&index).unwrap();
    assert_eq!(read_newest().state, SessionState::Interrupted);
    let lines = fs::read_to_string(&index).unwrap();
    fs::write(&journal, &whole).unwrap();
    set_modified(&journal, copied);
    assert_eq!(read_newest().state, SessionState::Interrupted, "the journal has the time of the last look");
    assert_eq!(fs::read_to_string(&index).unwrap(), lines);
    set_modified(&journal, copied + Duration::from_secs(1));
    assert_eq!(read_newest().state, SessionState::Ended, "another program continued the run");
}

// Regression test: a run with a damaged record was not in the list, and nothing said so.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_read_is_named_once() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    follow(&host, &run, Answer::Once { comment: None }).await;
    let state = scene.place.app.state_folder().unwrap();
    let journal = scene.place.app.find_run(run.run()).unwrap().journal();
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&journal, [&lines[..2], &["{damaged"], &lines[3..]].concat().join("\n")).unwrap();
    fs::remove_file(state.join("sessions.jsonl")).unwrap();
    let sessions = Sessions::new(&scene.place.app).unwrap();
    for _ in 0..2 {
        assert!(sessions.list().unwrap().is_empty());
    }
    let named = |notice: &&Notice| notice.to_string().contains(&format!("run {} is not listed: ", run.run()));
    let notices = scene.place.notices();
    assert_eq!(notices.iter().filter(named).count(), 1, "{notices:?}");
}
