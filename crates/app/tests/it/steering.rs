//! Messages with files, compaction on request, the stop of one call of a sub-agent, and a change of the wire format.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt as _;
use windlass_agent::Event;
use windlass_app::assembly::People;
use windlass_app::feed::{FeedEvent, FeedKind, RunOutcome};
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::runs::{MessageTime, Session, SessionOptions};
use windlass_app::sessions::{
    Answer, ExportFormat, ForkPoint, RunChanges, RunEnd, RunHandle, SessionHost, SessionState, export,
};
use windlass_app::{RunSettings, Task, WireFormat};

use crate::feed::{Scene, TINY_PNG, TWO_CALLS, check_numbers, follow, follow_after};
use crate::schema::check_events;

const ONCE: Answer = Answer::Once { comment: None };

/// A text that a record has by its hash only.
fn long_log() -> String {
    format!("begin {} end", "line of a log\n".repeat(20_000))
}

fn with_files(text: &str) -> Task {
    let task = Task::new(text).attach_bytes(long_log().into_bytes(), "long.log").unwrap();
    task.attach_bytes(TINY_PNG.to_vec(), "dot.png").unwrap()
}

/// Checks that the newest request has the files, and that the record has their hashes.
fn check_files(scene: &Scene, run: &RunHandle) {
    let sent = scene.provider.requests().last().unwrap().body.to_string();
    assert!(sent.contains("line of a log") && sent.len() > 280_000, "{}", sent.len());
    assert!(sent.contains("image/png"));
    let journal = scene.place.app.find_run(run.run()).unwrap().journal();
    let bytes = std::fs::read(journal).unwrap().len();
    assert!(bytes < 100_000, "the record has {bytes} bytes");
}

async fn wait_for_question(host: &SessionHost, session: &str) {
    let mut feed = host.watch(session, None).await.unwrap();
    let asked =
        async { while !matches!(feed.next().await.unwrap().kind, FeedKind::QuestionOpened { .. }) {} };
    tokio::time::timeout(Duration::from_mins(1), asked).await.expect("the run asks a question");
}

fn find<T>(events: &[FeedEvent], find: impl Fn(&FeedKind) -> Option<T>) -> Option<T> {
    events.iter().find_map(|event| find(&event.kind))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_working_run_has_files_within_the_limits_of_a_task() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    wait_for_question(&host, run.session()).await;
    assert!(run.send(Task::new(" "), MessageTime::AfterTurn).is_err());
    assert!(Task::new("x").attach_bytes(Vec::new(), "empty.txt").is_err());
    host.send(run.session(), with_files("like this"), MessageTime::AfterTurn).await.unwrap();
    // The run records the message before the calls end.
    let mut feed = host.watch(run.session(), None).await.unwrap();
    while !matches!(feed.next().await.unwrap().kind, FeedKind::MessageQueued { .. }) {}
    let live = follow(&host, &run, ONCE).await;
    let files = vec!["long.log".to_owned(), "image/png".to_owned()];
    let queued = find(&live, |kind| match kind {
        FeedKind::MessageQueued { text, files, .. } => Some((text.clone(), files.clone())),
        _ => None,
    });
    assert_eq!(queued, Some(("like this".to_owned(), files.clone())));
    let said = find(&live, |kind| match kind {
        FeedKind::Message { text, files, .. } => Some((text.clone(), files.clone())),
        _ => None,
    });
    assert_eq!(said, Some(("like this".to_owned(), files)));
    check_files(&scene, &run);
    check_events(&live);
    let inbox = inbox(&scene, &run);
    assert_eq!(std::fs::read_dir(inbox).unwrap().filter(is_message).count(), 0);
}

fn inbox(scene: &Scene, run: &RunHandle) -> PathBuf {
    scene.place.app.find_run(run.run()).unwrap().outputs().with_file_name("inbox")
}

fn is_message(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_that_is_continued_takes_files() {
    let scene = Scene::new(TWO_CALLS).await;
    let options = SessionOptions::new(People::suspend());
    let mut session =
        Session::start(&scene.place.app, scene.settings("write two files"), &options).await.unwrap();
    while !matches!(session.events.next().await.unwrap().unwrap(), Event::AnswerEnded { .. }) {}
    let id = session.folder.id.clone();
    // The process ends here.
    drop(session);
    let host = scene.host();
    assert_eq!(host.sessions().find(&id).unwrap().state, SessionState::Interrupted);
    let run = host.continue_session(&id, with_files("use these"), &RunChanges::default()).await.unwrap();
    assert_eq!(run.run(), id, "the run is resumed");
    let live = follow(&host, &run, ONCE).await;
    let files = find(&live, |kind| match kind {
        FeedKind::Message { text, files, .. } if text == "use these" => Some(files.len()),
        _ => None,
    });
    assert_eq!(files, Some(2), "{live:#?}");
    check_files(&scene, &run);
}

const LOOKS: &str = r#"{"fallback": "Everything was read.", "turns": [
    {"steps": [{"text": "First."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
    {"steps": [{"text": "Second."}, {"call": {"name": "read_file", "arguments": {"path": "b.txt"}}}]},
    {"steps": [{"text": "Third."}, {"call": {"name": "write_file", "arguments": {"path": "c.txt", "content": "c"}}}]},
    {"steps": [{"text": "All done."}]}]}"#;

fn write_looked_files(scene: &Scene) {
    for name in ["a", "b"] {
        let text = format!("{name} has long lines of words\n").repeat(200);
        scene.place.write(&format!("project/{name}.txt"), &text);
    }
}

fn sizes(events: &[FeedEvent]) -> Option<(u64, u64)> {
    find(events, |kind| match kind {
        FeedKind::Compacted { has_removed_turns: true, before, after, .. } => Some((*before, *after)),
        _ => None,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_session_is_compacted_by_a_separate_run() {
    let scene = Scene::new(LOOKS).await;
    write_looked_files(&scene);
    let host = scene.host();
    let run = host.start(scene.settings("read the files")).await.unwrap();
    let session = run.session().to_owned();
    follow(&host, &run, ONCE).await;
    let requests = scene.provider.requests().len();
    let compacting = host.compact(&session).await.unwrap().expect("a run of its own");
    let RunEnd::Outcome(RunOutcome::Completed { text }) = compacting.wait().await else {
        panic!("{compacting:?}")
    };
    assert_eq!(scene.provider.requests().len(), requests + 1, "one request for the summary");
    let all = host.read(&session, None).await.unwrap();
    check_numbers(&all);
    check_events(&all);
    let (_, after) = sizes(&all).unwrap();
    assert!(text.contains(&format!("about {after} tokens instead of ")), "{text}");
    let record = host.sessions().find(&session).unwrap();
    assert_eq!((record.state, record.runs.len()), (SessionState::Ended, 2));

    // The next task sees the summary, and neither the removed turns nor the message about the compaction.
    let next = host.continue_session(&session, "and now", &RunChanges::default()).await.unwrap();
    let last = all.last().map(|event| event.seq);
    follow_after(&host, &next, ONCE, last).await;
    let sent = scene.provider.requests()[requests + 1].body["messages"].to_string();
    assert!(sent.contains("Everything was read.") && sent.contains("and now"), "{sent}");
    assert!(!sent.contains("Compact the conversation") && !sent.contains("has long lines"), "{sent}");
    assert!(!sent.contains("interrupted"), "{sent}");
    assert!(!scene.place.app.find_run(next.run()).unwrap().settings().unwrap().only_compacts);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_working_run_is_compacted_at_its_next_turn() {
    let scene = Scene::new(LOOKS).await;
    write_looked_files(&scene);
    let host = scene.host();
    let run = host.start(scene.settings("read the files")).await.unwrap();
    wait_for_question(&host, run.session()).await;
    // Another process requests it.
    assert!(scene.host().compact(run.session()).await.unwrap().is_none());
    let inbox = inbox(&scene, &run);
    while std::fs::read_dir(&inbox).unwrap().any(|entry| is_message(&entry)) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let live = follow(&host, &run, ONCE).await;
    let (before, after) = sizes(&live).unwrap();
    assert!(0 < after && after < before, "{before} {after}");
    let end = live.iter().rev().find_map(|event| match &event.kind {
        FeedKind::RunEnded { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    assert!(matches!(end, Some(RunOutcome::Completed { .. })), "{end:?}");
    assert_eq!(host.sessions().find(run.session()).unwrap().runs.len(), 1);
}

#[cfg(feature = "subagent")]
const SLEEPS: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "hand", "name": "sub_agent_sleeper", "arguments": {"task": "sleep"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}]}],
    "parts": {"You are the sleeper.": [
    {"steps": [{"call": {"id": "nap", "name": "run_command", "arguments": {"command": "sleep 60"}}}]},
    {"steps": [{"text": "I went on."}]}]}}"#;

/// Returns settings of a run whose sub-agent sleeps for a minute in the call `nap`.
#[cfg(feature = "subagent")]
pub(crate) async fn sleeping_agent() -> (Scene, RunSettings) {
    let scene = Scene::new(SLEEPS).await;
    let agents = scene.place.app.settings_folder().unwrap().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let sleeper = "---\nname: sleeper\ndescription: Sleeps.\ntools: run_command\n---\nYou are the sleeper.\n";
    std::fs::write(agents.join("sleeper.md"), sleeper).unwrap();
    let mut settings = scene.settings("let the sleeper sleep");
    settings.offering.features.push("agents".to_owned());
    (scene, settings)
}

#[cfg(feature = "subagent")]
#[tokio::test(flavor = "multi_thread")]
async fn one_call_of_a_sub_agent_is_stopped_and_both_continue() {
    let (scene, settings) = sleeping_agent().await;
    let host = scene.host();
    let run = host.start(settings).await.unwrap();
    let stopping = run.clone();
    let mut feed = host.watch(run.session(), None).await.unwrap();
    let stop = tokio::spawn(async move {
        loop {
            let event = feed.next().await.unwrap();
            if let (Some(agent), FeedKind::CallRunning { call }) = (&event.agent, &event.kind) {
                assert!(!stopping.stop_call(call), "the root does not make the call");
                while !stopping.stop_agent_call(agent, call) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                return;
            }
        }
    });
    let live = follow(&host, &run, ONCE).await;
    stop.await.unwrap();
    let result = live.iter().find_map(|event| match &event.kind {
        FeedKind::Result { call, status, text, .. } if call == "nap" => Some(format!("{status} {text}")),
        _ => None,
    });
    assert!(result.as_ref().is_some_and(|result| result.contains("cancelled")), "{result:?}");
    let report = live.iter().find_map(|event| match &event.kind {
        FeedKind::Result { call, text, .. } if call == "hand" => Some(text.clone()),
        _ => None,
    });
    assert_eq!(report.as_deref(), Some("I went on."));
    assert!(
        matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Completed { text }) if text == "all done")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_session_continues_in_every_wire_format_and_is_forked_and_exported() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let session = run.session().to_owned();
    follow(&host, &run, ONCE).await;
    for format in WireFormat::all() {
        let mut choice = ProviderChoice::default();
        choice.base_url = Some(format!("{}{}", scene.provider.base_url(), format.base_path()));
        choice.model = Some(format!("{}-model", format.as_str()));
        choice.wire = Some(*format);
        let provider = Provider::select(&scene.place.app, &choice, &ProviderOptions::default()).unwrap();
        let mut changes = RunChanges::default();
        changes.provider = Some(provider);
        let next = host.continue_session(&session, "and more", &changes).await.unwrap();
        let end = next.wait().await;
        assert!(matches!(end, RunEnd::Outcome(RunOutcome::Completed { .. })), "{}: {end:?}", format.as_str());
        assert_eq!(host.sessions().find(&session).unwrap().model, format!("{}-model", format.as_str()));
        let requests = scene.provider.requests();
        let sent = requests.last().unwrap().body.to_string();
        // The calls of the first run are in the conversation of each format.
        assert!(sent.contains("write_file") && sent.contains("a.txt"), "{}: {sent}", format.as_str());
    }
    let record = host.sessions().find(&session).unwrap();
    assert_eq!(record.runs.len(), 1 + WireFormat::all().len());
    let events = host.read(&session, None).await.unwrap();
    check_numbers(&events);

    // Another session leaves the first run of a copy before its call.
    let first = host.start(scene.settings("write two files")).await.unwrap();
    let live = follow(&host, &first, ONCE).await;
    let call = find(&live, |kind| match kind {
        FeedKind::Call { call, tool, .. } if tool == "attempt_completion" => Some(call.clone()),
        _ => None,
    });
    let point = ForkPoint::BeforeCall(call.unwrap());
    let forked = host.fork(first.session(), &point, "otherwise", &RunChanges::default()).await.unwrap();
    let events = follow(&host, &forked, ONCE).await;
    let imported = find(&events, |kind| match kind {
        FeedKind::HistoryImported { messages } => Some(*messages),
        _ => None,
    });
    assert_eq!(imported, Some(3), "the task, the two calls and their results");

    let markdown = export(host.sessions(), &record, ExportFormat::Markdown).unwrap();
    assert_eq!(markdown.matches("## Task\n\nand more").count(), WireFormat::all().len(), "{markdown}");
    let json = export(host.sessions(), &record, ExportFormat::Json).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["events"].as_array().unwrap().len(), host.read(&session, None).await.unwrap().len());
}
