//! The feed of a session: live, from its records, and after a restart the same numbers.

use std::time::Duration;

use windlass_agent::DeliverAt;
use windlass_app::feed::{FeedEvent, FeedKind, Question, QuestionEnd, RunOutcome};
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::{
    Answer, AnswerError, AnswerPlace, ExportFormat, ForkPoint, RunChanges, RunEnd, RunHandle, SessionHost,
    SessionState, Sessions, export,
};
use windlass_app::{Confinement, RunSettings};
use windlass_mock::{Script, ScriptedProvider};

use crate::place::Place;
use crate::schema::check_events;

/// A provider, and a user whose runs use it.
pub(crate) struct Scene {
    pub(crate) place: Place,
    pub(crate) provider: ScriptedProvider,
}

impl Scene {
    pub(crate) async fn new(script: &str) -> Self {
        let provider = ScriptedProvider::start(Script::parse(script).unwrap(), 0).await.unwrap();
        Self { place: Place::new(), provider }
    }

    pub(crate) fn settings(&self, task: &str) -> RunSettings {
        let mut choice = ProviderChoice::default();
        choice.base_url = Some(self.provider.base_url());
        choice.model = Some("scripted-1".to_owned());
        let provider = Provider::select(&self.place.app, &choice, &ProviderOptions::default()).unwrap();
        let mut settings = RunSettings::new(task, provider, &self.place.project()).unwrap();
        settings.sandbox = Confinement::Off;
        settings.no_checkpoints = true;
        settings
    }

    pub(crate) fn host(&self) -> SessionHost {
        SessionHost::new(&self.place.app).unwrap()
    }
}

pub(crate) const TWO_CALLS: &str = r#"{"turns": [
    {"steps": [
        {"reasoning": "Two files."}, {"text": "I write two files."},
        {"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "a\n"}}},
        {"call": {"name": "write_file", "arguments": {"path": "b.txt", "content": "b\n"}}}
    ]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "written"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "and more"}}}]}
]}"#;

/// Reads a feed until a run of the session ends in a way other than suspended, and answers every question.
pub(crate) async fn follow(host: &SessionHost, run: &RunHandle, answer: Answer) -> Vec<FeedEvent> {
    follow_after(host, run, answer, None).await
}

/// Like [`follow`], but only with the events after a number.
pub(crate) async fn follow_after(
    host: &SessionHost,
    run: &RunHandle,
    answer: Answer,
    after: Option<u64>,
) -> Vec<FeedEvent> {
    let mut feed = host.watch(run.session(), after).await.unwrap();
    let mut events = Vec::new();
    loop {
        let event = tokio::time::timeout(Duration::from_secs(20), feed.next()).await;
        assert!(event.is_ok(), "no event after {events:#?}");
        let event = event.unwrap().unwrap();
        if let FeedKind::QuestionOpened { question, .. } = &event.kind {
            host.answer(run.session(), question, answer.clone(), "window 1").await.unwrap();
        }
        let is_end = event.agent.is_none()
            && event.run == run.run()
            && matches!(event.kind, FeedKind::RunEnded { .. });
        events.push(event);
        if is_end {
            run.wait().await;
            return events;
        }
    }
}

pub(crate) fn numbered(events: &[FeedEvent]) -> Vec<FeedEvent> {
    events.iter().filter(|event| event.kind.is_numbered()).cloned().collect()
}

#[track_caller]
pub(crate) fn check_numbers(events: &[FeedEvent]) {
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_answers_and_a_reader_of_the_records_sees_the_same_events() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let live = follow(&host, &run, Answer::Once { comment: None }).await;
    assert_eq!(std::fs::read_to_string(scene.place.project().join("b.txt")).unwrap(), "b\n");

    let recorded = host.read(run.session(), None).await.unwrap();
    assert_eq!(numbered(&live), recorded);
    check_events(&live);
    check_numbers(&recorded);
    let by: Vec<_> = recorded
        .iter()
        .filter_map(|event| match &event.kind {
            FeedKind::QuestionClosed { closing: QuestionEnd::Approved { .. }, by, .. } => by.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(by, ["window 1", "window 1"]);
    let streamed: String = live
        .iter()
        .filter_map(|event| match &event.kind {
            FeedKind::TextDelta { text, turn: 1, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    // A reader that is late gets the whole text instead of the rest of the deltas.
    assert!("I write two files.".starts_with(&streamed), "{streamed}");
    // Another process: no memory, only files.
    let other = Sessions::new(&scene.place.app).unwrap();
    let record = other.find("last").unwrap();
    assert_eq!((record.state, record.runs.len()), (SessionState::Ended, 1));
    assert_eq!(other.events(&record, None).unwrap(), recorded);
    assert_eq!(other.events(&record, Some(3)).unwrap(), recorded[3..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_log_of_the_feed_the_records_give_the_same_events() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    follow(&host, &run, Answer::No { comment: Some("not that one".to_owned()) }).await;
    let mut recorded = host.read(run.session(), None).await.unwrap();
    let folder = scene.place.app.find_run(run.run()).unwrap();
    std::fs::remove_file(folder.path.join("feed")).unwrap();
    let derived = host.read(run.session(), None).await.unwrap();
    // Only the log knows the window.
    for event in &mut recorded {
        if let FeedKind::QuestionClosed { by, .. } = &mut event.kind {
            *by = None;
        }
    }
    assert_eq!(derived, recorded);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_counts_and_the_second_one_names_it() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let mut feed = host.watch(run.session(), None).await.unwrap();
    let question = loop {
        if let FeedKind::QuestionOpened { question, card: Question::Call { card } } =
            feed.next().await.unwrap().kind
        {
            assert!(card.effects.iter().any(|effect| effect.kind == "write"), "{card:?}");
            break question;
        }
    };
    let session = run.session().to_owned();
    let wrong = host.answer(&session, &question, Answer::Words { text: "x".to_owned() }, "a").await;
    assert!(matches!(wrong, Err(AnswerError::WrongKind)), "{wrong:?}");
    let first = host.answer(&session, &question, Answer::Once { comment: None }, "phone").await.unwrap();
    assert_eq!(first, AnswerPlace::Run);
    let second = host.answer(&session, &question, Answer::No { comment: None }, "terminal").await;
    assert!(
        matches!(&second, Err(AnswerError::AlreadyAnswered { by: Some(by) }) if by == "phone"),
        "{second:?}"
    );
    let unknown = host.answer(&session, "nothing", Answer::Later, "terminal").await;
    assert!(matches!(unknown, Err(AnswerError::NotOpen { .. })), "{unknown:?}");
    run.stop();
    assert!(matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Stopped { .. })));
    // The run has ended, and the records still know the window.
    let third = host.answer(&session, &question, Answer::No { comment: None }, "terminal").await;
    assert!(
        matches!(&third, Err(AnswerError::AlreadyAnswered { by: Some(by) }) if by == "phone"),
        "{third:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_session_is_answered_from_another_host_and_resumed() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let session = run.session().to_owned();
    let before = follow(&host, &run, Answer::Later).await;
    assert!(
        matches!(run.end(), Some(RunEnd::Outcome(RunOutcome::Suspended { questions, .. })) if questions.len() == 2)
    );

    let other = scene.host();
    assert_eq!(other.sessions().find(&session).unwrap().state, SessionState::Suspended);
    let questions = other.questions(&session).await.unwrap();
    assert_eq!(questions.len(), 2);
    for (position, question) in questions.iter().enumerate() {
        let place =
            other.answer(&session, &question.id, Answer::Once { comment: None }, "phone").await.unwrap();
        assert_eq!(place, AnswerPlace::Stored { unanswered: 1 - position });
        let again = host.answer(&session, &question.id, Answer::No { comment: None }, "desk").await;
        assert!(
            matches!(&again, Err(AnswerError::AlreadyAnswered { by: Some(by) }) if by == "phone"),
            "{again:?}"
        );
    }
    let refused = other.continue_session(&session, "more", &RunChanges::default()).await;
    assert!(refused.unwrap_err().to_string().contains("waits for an answer"));
    let resumed = other.resume(&session).await.unwrap();
    assert!(matches!(resumed.wait().await, RunEnd::Outcome(RunOutcome::Completed { .. })));
    let all = other.read(&session, None).await.unwrap();
    check_numbers(&all);
    let before = numbered(&before);
    assert_eq!(all[..before.len()], before);
    let closed = all.iter().filter(
        |event| matches!(&event.kind, FeedKind::QuestionClosed { by: Some(by), .. } if by == "phone"),
    );
    assert_eq!(closed.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_session_continues_in_a_new_run_on_its_history() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let session = run.session().to_owned();
    follow(&host, &run, Answer::Once { comment: None }).await;
    let mut changes = RunChanges::default();
    changes.max_turns = Some(7);
    let next = host.continue_session("last", "and more", &changes).await.unwrap();
    assert_eq!(next.session(), session);
    assert!(
        matches!(next.wait().await, RunEnd::Outcome(RunOutcome::Completed { text }) if text == "and more")
    );
    let settings = scene.place.app.find_run(next.run()).unwrap().settings().unwrap();
    assert_eq!((settings.parent.as_deref(), settings.max_turns), (Some(run.run()), 7));
    let all = host.read(&session, None).await.unwrap();
    check_numbers(&all);
    let started: Vec<_> = all
        .iter()
        .filter_map(|event| match &event.kind {
            FeedKind::RunStarted { task, parent, .. } => Some((task.as_str(), parent.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(started, [("write two files", None), ("and more", Some(run.run()))]);
    assert!(
        all.iter().any(|event| matches!(event.kind, FeedKind::HistoryImported { messages: 5 })),
        "{all:#?}"
    );
    assert_eq!(host.sessions().find(&session).unwrap().runs.len(), 2);
    // The run that has a successor is not resumed any more, and a completed run gets no message.
    assert!(host.send(&session, "x", DeliverAt::NextTurn).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_has_the_conversation_until_its_point() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    follow(&host, &run, Answer::Once { comment: None }).await;
    let fork = |point: ForkPoint| {
        let (host, session) = (host.clone(), run.session().to_owned());
        async move { host.fork(&session, &point, "otherwise", &RunChanges::default()).await }
    };
    assert!(fork(ForkPoint::AfterTurn(9)).await.is_err());
    assert!(fork(ForkPoint::BeforeCall("nothing".to_owned())).await.is_err());
    for (point, messages) in [(ForkPoint::AfterTurn(0), 1), (ForkPoint::AfterTurn(1), 3)] {
        let forked = fork(point).await.unwrap();
        let events = follow(&host, &forked, Answer::Once { comment: None }).await;
        let imported = events.iter().find_map(|event| match event.kind {
            FeedKind::HistoryImported { messages } => Some(messages),
            _ => None,
        });
        assert_eq!(imported, Some(messages));
        assert_ne!(forked.session(), run.session());
        let record = host.sessions().find(forked.session()).unwrap();
        assert_eq!(record.forked_from.as_deref(), Some(run.session()));
        let exported = export(host.sessions(), &record, ExportFormat::Markdown).unwrap();
        let (earlier, own) = exported.split_once("## Task").unwrap();
        assert!(earlier.contains(&format!("that of session {}", run.session())), "{exported}");
        assert!(earlier.contains("## Message\n\nwrite two files") && own.contains("otherwise"), "{exported}");
        assert_eq!(earlier.contains("of `write_file`"), messages == 3, "{exported}");
    }
    let origin = host.sessions().find(run.session()).unwrap();
    let exported = export(host.sessions(), &origin, ExportFormat::Markdown).unwrap();
    assert!(!exported.contains("that of session"), "{exported}");
}

#[cfg(feature = "subagent")]
const DELEGATES: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "hand", "name": "sub_agent_scribe", "arguments": {"task": "write one.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "all done"}}}]}],
    "parts": {"You are the scribe.": [
    {"steps": [{"reasoning": "One file."}, {"text": "I write."},
        {"call": {"id": "write", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
    {"steps": [{"text": "one.txt is written"}]}]}}"#;

#[cfg(feature = "subagent")]
#[tokio::test(flavor = "multi_thread")]
async fn the_feed_of_a_sub_agent_is_the_same_live_and_from_the_record() {
    let scene = Scene::new(DELEGATES).await;
    let agents = scene.place.app.settings_folder().unwrap().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let scribe = "---\nname: scribe\ndescription: Writes.\ntools: write_file\n---\nYou are the scribe.\n";
    std::fs::write(agents.join("scribe.md"), scribe).unwrap();
    let host = scene.host();
    let mut settings = scene.settings("let the scribe write one.txt");
    settings.offering.features.push("agents".to_owned());
    let run = host.start(settings).await.unwrap();
    let live = follow(&host, &run, Answer::Once { comment: None }).await;
    assert_eq!(std::fs::read_to_string(scene.place.project().join("one.txt")).unwrap(), "1");

    let of_agent: Vec<&FeedEvent> = live.iter().filter(|event| event.agent.is_some()).collect();
    let path = of_agent[0].agent.clone().unwrap();
    assert_eq!((path.call.as_str(), path.names.as_slice()), ("hand", &["scribe".to_owned()][..]));
    for kind in ["question_opened", "question_closed", "call", "result", "text", "turn_ended", "run_ended"] {
        let has = |event: &&&FeedEvent| serde_json::to_value(event).unwrap()["kind"] == kind;
        assert!(of_agent.iter().any(|event| has(&event)), "no {kind} of the agent: {of_agent:#?}");
    }
    check_events(&live);
    // Another process has only the files.
    let other = Sessions::new(&scene.place.app).unwrap();
    let recorded = other.events(&other.find("last").unwrap(), None).unwrap();
    check_numbers(&recorded);
    assert_eq!(numbered(&live), recorded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_with_files_reaches_the_model_and_the_feed_names_them() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let task = windlass_app::Task::new("write two files");
    let task = task.attach_bytes(b"fn main() {}".to_vec(), "main.rs").unwrap();
    let task = task.attach_bytes(TINY_PNG.to_vec(), "dot.png").unwrap();
    assert!(task.clone().attach_image("nothing.png").is_err());
    let run = host.start(scene.settings("").with_task(task)).await.unwrap();
    let live = follow(&host, &run, Answer::Once { comment: None }).await;
    let started = live.iter().find_map(|event| match &event.kind {
        FeedKind::RunStarted { task, files, .. } => Some((task.clone(), files.clone())),
        _ => None,
    });
    let files = vec!["main.rs".to_owned(), "image/png".to_owned()];
    assert_eq!(started, Some(("write two files".to_owned(), files)));
    let sent = scene.provider.requests()[0].body.to_string();
    assert!(sent.contains("fn main() {}") && sent.contains("image/png"), "{sent}");
    let stored = scene.place.app.find_run(run.run()).unwrap().settings().unwrap();
    assert!(stored.parts.is_empty(), "the record of the run has the files");
    check_events(&live);

    // The next task has files of its own.
    let more = windlass_app::Task::new("and more").attach_bytes(b"x = 1".to_vec(), "a.toml").unwrap();
    let next = host.continue_session(run.session(), more, &RunChanges::default()).await.unwrap();
    assert!(matches!(next.wait().await, RunEnd::Outcome(RunOutcome::Completed { .. })));
    let last = scene.provider.requests().last().unwrap().body.to_string();
    assert!(last.contains("x = 1") && last.contains("fn main() {}"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_another_process_resumes_has_the_files_of_its_task() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    // Large parts are in the record by their hash.
    let long = format!("begin {} end", "line of a log\n".repeat(20_000));
    let task = windlass_app::Task::new("write two files").attach_bytes(long.clone().into_bytes(), "long.log");
    let task = task.unwrap().attach_bytes(TINY_PNG.to_vec(), "dot.png").unwrap();
    let run = host.start(scene.settings("").with_task(task)).await.unwrap();
    let session = run.session().to_owned();
    follow(&host, &run, Answer::Later).await;
    let other = scene.host();
    for question in other.questions(&session).await.unwrap() {
        other.answer(&session, &question.id, Answer::Once { comment: None }, "phone").await.unwrap();
    }
    let resumed = other.resume(&session).await.unwrap();
    assert!(matches!(resumed.wait().await, RunEnd::Outcome(RunOutcome::Completed { .. })));
    let requests = scene.provider.requests();
    let content = |at: usize| requests[at].body["messages"].to_string();
    let last = content(requests.len() - 1);
    let escaped = serde_json::to_string(&long).unwrap();
    for sent in [content(0), last] {
        assert!(sent.contains(escaped.trim_matches('"')) && sent.contains("image/png"), "{}", sent.len());
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_a_run_in_a_database_are_restored() {
    use windlass_app::runs::FileHistory;
    use windlass_testkit::{Need, require};

    require!(Need::Git, std::process::Command::new("git").arg("--version").output());
    let mut scene = Scene::new(TWO_CALLS).await;
    let database = scene.place.project().with_file_name("runs.db");
    let url = windlass_store::StoreUrl::new(format!("sqlite://{}", database.display()));
    scene.place.app = scene.place.app.clone().with_store(&url).unwrap();
    let host = scene.host();
    let mut settings = scene.settings("write two files");
    settings.no_checkpoints = false;
    let run = host.start(settings).await.unwrap();
    let session = run.session().to_owned();
    let folder = scene.place.app.find_run(run.run()).unwrap();
    let restore = move || {
        let history = FileHistory::open(&folder)?;
        history.restore(&history.find(None)?, windlass_checkpoint::ForeignChanges::Refuse)
    };
    // One file is written, and the run continues while the other question is open.
    let (mut feed, mut questions, mut has_result) =
        (host.watch(&session, None).await.unwrap(), Vec::new(), false);
    let once = |question: String| {
        let (host, session) = (host.clone(), session.clone());
        async move { host.answer(&session, &question, Answer::Once { comment: None }, "test").await.unwrap() }
    };
    while !has_result || questions.len() < 2 {
        match feed.next().await.unwrap().kind {
            FeedKind::QuestionOpened { question, .. } => {
                if questions.is_empty() {
                    once(question.clone()).await;
                }
                questions.push(question);
            }
            FeedKind::Result { .. } => has_result = true,
            _ => {}
        }
    }
    let refused = tokio::task::spawn_blocking(restore.clone()).await.unwrap().unwrap_err();
    assert!(refused.to_string().contains("cannot be restored while it works"), "{refused}");
    once(questions.remove(1)).await;
    assert!(matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Completed { .. })));
    let file = scene.place.project().join("a.txt");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\n");
    let changes = tokio::task::spawn_blocking(restore).await.unwrap().unwrap();
    assert_eq!(changes.removed, ["a.txt", "b.txt"]);
    assert!(!file.exists());
}

/// A picture of one pixel.
pub(crate) const TINY_PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 31,
    21, 196, 137, 0, 0, 0, 13, 73, 68, 65, 84, 120, 156, 99, 248, 207, 192, 240, 31, 0, 5, 0, 1, 255, 137,
    153, 61, 29, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];
