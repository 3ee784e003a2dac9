//! One run and the views of another process: answers, questions of sub-agents and in words, and cancellation.
//!
//! A second host on the same folders is the other process: the two share only the files.

use std::time::Duration;

use windlass_app::feed::{FeedEvent, FeedKind, Question, RunOutcome};
use windlass_app::runs::MessageTime;
use windlass_app::sessions::{Answer, AnswerError, AnswerPlace, FeedStream, RunEnd, SessionHost};

use crate::feed::{Scene, TWO_CALLS};
#[cfg(feature = "subagent")]
use crate::steering::sleeping_agent;

const ONCE: Answer = Answer::Once { comment: None };

/// Reads a feed until an event fits.
async fn until(feed: &mut FeedStream, fits: impl Fn(&FeedKind) -> bool) -> FeedEvent {
    let work = async {
        loop {
            let event = feed.next().await.unwrap();
            if fits(&event.kind) {
                return event;
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), work).await.expect("the event arrives in time")
}

async fn opened(feed: &mut FeedStream) -> (String, Question) {
    let event = until(feed, |kind| matches!(kind, FeedKind::QuestionOpened { .. })).await;
    let FeedKind::QuestionOpened { question, card } = event.kind else { panic!("a question opens") };
    (question, card)
}

async fn closed_by(feed: &mut FeedStream) -> Option<String> {
    let event = until(feed, |kind| matches!(kind, FeedKind::QuestionClosed { .. })).await;
    let FeedKind::QuestionClosed { by, .. } = event.kind else { panic!("a question closes") };
    by
}

async fn listed(host: &SessionHost, session: &str) -> Vec<String> {
    host.questions(session).await.unwrap().into_iter().map(|open| open.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_of_another_process_is_in_the_feed() {
    let scene = Scene::new(TWO_CALLS).await;
    let (host, other) = (scene.host(), scene.host());
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let session = run.session().to_owned();
    let (mut here, mut there) =
        (host.watch(&session, None).await.unwrap(), other.watch(&session, None).await.unwrap());
    let (question, _) = opened(&mut there).await;
    assert!(listed(&other, &session).await.contains(&question));
    let place = other.answer(&session, &question, ONCE, "page on phone").await.unwrap();
    assert_eq!(place, AnswerPlace::Run, "a run that works is not resumed");
    let second = other.answer(&session, &question, Answer::No { comment: None }, "editor").await;
    assert!(
        matches!(&second, Err(AnswerError::AlreadyAnswered { by: Some(by) }) if by == "page on phone"),
        "{second:?}"
    );
    for feed in [&mut here, &mut there] {
        assert_eq!(closed_by(feed).await.as_deref(), Some("page on phone"));
    }
    let third = host.answer(&session, &question, ONCE, "terminal").await;
    assert!(
        matches!(&third, Err(AnswerError::AlreadyAnswered { by: Some(by) }) if by == "page on phone"),
        "{third:?}"
    );

    // The other process stops the run while its second question is open.
    assert_eq!(listed(&other, &session).await.len(), 1);
    other.stop(&session).await.unwrap();
    assert!(
        matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Stopped { cause }) if cause == "cancelled")
    );
    let late = other.stop(&session).await.unwrap_err();
    assert!(late.to_string().contains("does not work"), "{late}");
}

const ASKS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "ask_followup_question", "arguments": {"question": "Which color?"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "painted"}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_text_question_is_answered_by_another_process() {
    let scene = Scene::new(ASKS).await;
    let (host, other) = (scene.host(), scene.host());
    let run = host.start(scene.settings("paint it")).await.unwrap();
    let session = run.session().to_owned();
    let mut there = other.watch(&session, None).await.unwrap();
    let (question, card) = opened(&mut there).await;
    assert!(matches!(card, Question::Words { text, .. } if text == "Which color?"));
    assert_eq!(listed(&other, &session).await, [question.as_str()]);
    let wrong = other.answer(&session, &question, ONCE, "page").await;
    assert!(matches!(wrong, Err(AnswerError::WrongKind)), "{wrong:?}");
    let words = Answer::Words { text: "green".to_owned() };
    assert_eq!(other.answer(&session, &question, words, "page").await.unwrap(), AnswerPlace::Run);
    assert_eq!(closed_by(&mut there).await.as_deref(), Some("page"));
    assert!(matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Completed { .. })));
    let sent = scene.provider.requests()[1].body.to_string();
    assert!(sent.contains("green"), "{sent}");
    assert!(listed(&other, &session).await.is_empty());
}

#[cfg(feature = "subagent")]
#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_a_sub_agent_is_approved_and_stopped_by_another_process() {
    let (scene, settings) = sleeping_agent().await;
    let (host, other) = (scene.host(), scene.host());
    let run = host.start(settings).await.unwrap();
    let session = run.session().to_owned();
    let mut there = other.watch(&session, None).await.unwrap();
    loop {
        let event = until(&mut there, |kind| {
            matches!(kind, FeedKind::QuestionOpened { .. } | FeedKind::CallRunning { .. })
        });
        match event.await {
            FeedEvent { kind: FeedKind::QuestionOpened { question, .. }, .. } => {
                assert_eq!(other.answer(&session, &question, ONCE, "page").await.unwrap(), AnswerPlace::Run);
            }
            FeedEvent { agent: Some(agent), kind: FeedKind::CallRunning { call }, .. } => {
                assert!(other.stop_call(&session, Some(&agent), &call).await.unwrap());
                break;
            }
            _ => {}
        }
    }
    let end = tokio::time::timeout(Duration::from_mins(1), run.wait()).await.expect("the nap is stopped");
    assert!(matches!(end, RunEnd::Outcome(RunOutcome::Completed { text }) if text == "all done"));
    let events = other.read(&session, None).await.unwrap();
    let is_stopped = |event: &FeedEvent| matches!(&event.kind, FeedKind::Result { call, status, .. } if call == "nap" && status == "cancelled");
    assert!(events.iter().any(is_stopped), "{events:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_for_an_earlier_process_does_not_stop_the_resumed_run() {
    let scene = Scene::new(TWO_CALLS).await;
    let (host, other) = (scene.host(), scene.host());
    let run = host.start(scene.settings("write two files")).await.unwrap();
    let session = run.session().to_owned();
    let mut feed = host.watch(&session, None).await.unwrap();
    opened(&mut feed).await;
    other.send(&session, "as you like", MessageTime::AfterTurn).await.unwrap();
    until(&mut feed, |kind| matches!(kind, FeedKind::MessageQueued { .. })).await;
    for open in run.questions() {
        run.answer(&open.id, Answer::Later, "terminal").unwrap();
    }
    assert!(matches!(run.wait().await, RunEnd::Outcome(RunOutcome::Suspended { .. })));
    // A process that is killed before it reads the request leaves such a file.
    let inbox = scene.place.app.find_run(run.run()).unwrap().outputs().with_file_name("inbox");
    let request = r#"{"id":"say-1","text":"","when":"next_turn","stop":{"stop":"run"}}"#;
    std::fs::write(inbox.join(format!("{:039}-1.json", 1)), request).unwrap();
    for open in host.questions(&session).await.unwrap() {
        host.answer(&session, &open.id, ONCE, "terminal").await.unwrap();
    }
    let run = host.resume(&session).await.unwrap();
    let end = tokio::time::timeout(Duration::from_mins(1), run.wait()).await.expect("the run ends");
    assert!(matches!(end, RunEnd::Outcome(RunOutcome::Completed { .. })), "{end:?}");
    assert_eq!(
        std::fs::read_dir(inbox)
            .unwrap()
            .filter(|entry| {
                entry
                    .as_ref()
                    .is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
            })
            .count(),
        0,
        "the request is removed"
    );
}
