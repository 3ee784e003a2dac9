//! Runs from task to end, in every wire format and with every protocol.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use windlass_agent::{
    AgentError, ApproveAll, Approver, ApproverFuture, CallStart, Event, Outcome, RunOptions, RunningCalls,
    StopCause,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::ResultStatus;
use windlass_tool::CancellationToken;

use crate::scene::{Scene, Shared, events, way, ways};

const WHOLE: &str = r#"{"turns": [
    {"steps": [{"text": "I look."}, {"call": {"name": "look", "arguments": {"n": 1}}}, {"call": {"name": "look", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// An approver that takes its answers from a list.
struct Answers(Mutex<Vec<(bool, Option<&'static str>, bool)>>);

impl Approver for Answers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let (yes, comment, remember) = self.0.lock().unwrap().remove(0);
        let id = request.request_id.clone();
        let decision = match (yes, remember) {
            (true, false) => ApprovalDecision::approve(id),
            (true, true) => ApprovalDecision::approve(id).with_remember(),
            (false, _) => ApprovalDecision::deny(id, comment.map(str::to_owned)),
        };
        Box::pin(async move { Some(decision) })
    }
}

/// Never answers.
struct Silent;

impl Approver for Silent {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_run_reads_writes_and_completes_in_every_way() {
    for way in ways() {
        let scene = Scene::new(WHOLE, way);
        let agent = scene.builder().approver(ApproveAll).build().unwrap();
        let report = agent.run("task").await.unwrap();
        assert_eq!(report.text(), Some("done"));
        assert_eq!(scene.read.calls.load(Ordering::SeqCst), 2);
        assert_eq!(scene.write.calls.load(Ordering::SeqCst), 2);
        assert_eq!(scene.model.requests().len(), 4);
    }
}

// N6: turn k+1's bytes begin with turn k's, up to the end of its messages.
#[tokio::test]
async fn each_request_begins_with_the_bytes_of_the_one_before() {
    for way in ways() {
        let scene = Scene::new(WHOLE, way);
        let agent = scene.builder().approver(ApproveAll).build().unwrap();
        agent.run("task").await.unwrap();
        for pair in scene.model.requests().windows(2) {
            let [before, after] = pair else { unreachable!("windows of two") };
            let messages = |body: &serde_json::Value| {
                let list = ["messages", "input", "contents"].iter().find_map(|name| body[*name].as_array());
                list.unwrap().clone()
            };
            assert!(messages(after).starts_with(&messages(before)));
            for field in ["tools", "system", "instructions", "systemInstruction"] {
                assert_eq!(before[field], after[field]);
            }
        }
    }
}

// R2
#[tokio::test]
async fn a_denial_comment_is_sent_in_the_calls_result() {
    for way in ways() {
        let scene = Scene::new(WHOLE, way);
        let answers = Answers(Mutex::new(vec![(false, Some("not this file"), false), (true, None, false)]));
        let agent = scene.builder().approver(answers).build().unwrap();
        assert_eq!(agent.run("task").await.unwrap().text(), Some("done"));
        assert_eq!(scene.write.calls.load(Ordering::SeqCst), 1);
        assert!(scene.model.requests()[2].to_string().contains("not this file"));
    }
}

#[tokio::test]
async fn a_session_approval_is_asked_once() {
    let way = way();
    let scene = Scene::new(WHOLE, way);
    // A second question would find the list empty, and fail the test.
    let agent = scene.builder().approver(Answers(Mutex::new(vec![(true, None, true)]))).build().unwrap();
    let events = events(agent.stream("task")).await;
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 2);
    let by_grant = events.iter().any(
        |event| matches!(event, Event::Decided { decision, .. } if decision.reason.rule_id == "g.session"),
    );
    assert!(by_grant);
}

#[tokio::test]
async fn without_an_approver_only_allowed_calls_run() {
    let way = way();
    let scene = Scene::new(WHOLE, way);
    let agent = scene.builder().build().unwrap();
    assert_eq!(agent.run("task").await.unwrap().text(), Some("done"));
    assert_eq!(scene.read.calls.load(Ordering::SeqCst), 2);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

// H12: the question times out after five minutes, on a clock that only the test advances.
#[tokio::test(start_paused = true)]
async fn an_unanswered_question_times_out() {
    let way = way();
    let scene = Scene::new(WHOLE, way);
    let agent = scene.builder().approver(Silent).build().unwrap();
    let began = tokio::time::Instant::now();
    let events = events(agent.stream("task")).await;
    let timed_out = events.iter().filter(
        |event| matches!(event, Event::CallEnded { result } if result.status == ResultStatus::TimedOut),
    );
    assert_eq!(timed_out.count(), 2);
    assert!(began.elapsed() >= Duration::from_mins(10));
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

const WAITS: &str = r#"{"turns": [{"steps": [{"call": {"name": "wait"}}, {"call": {"name": "change"}}]}]}"#;

// L7
#[tokio::test]
async fn cancelling_stops_what_runs_and_every_call_has_its_result() {
    for way in ways() {
        let scene = Scene::new(WAITS, way);
        let stop = CancellationToken::new();
        let agent = scene.builder().approver(Silent).build().unwrap();
        let mut stream = agent.stream_with("task", RunOptions::default().with_cancellation(stop.clone()));
        let mut ended = Vec::new();
        while let Some(event) = stream.next().await {
            match event.unwrap() {
                Event::CallRunning { .. } => stop.cancel(),
                Event::CallEnded { result } => ended.push(result.status),
                Event::Finished { outcome, .. } => {
                    assert_eq!(outcome, Outcome::Stopped { cause: StopCause::Cancelled });
                }
                _ => {}
            }
        }
        assert_eq!(ended, [ResultStatus::Cancelled, ResultStatus::Cancelled]);
    }
}

const ONE_OF_TWO: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "wait"}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "went on"}}}]}]}"#;

#[tokio::test]
async fn one_call_is_stopped_and_the_run_continues() {
    for way in ways() {
        let scene = Scene::new(ONE_OF_TWO, way);
        let calls = RunningCalls::default();
        let agent = scene.builder().approver(Silent).build().unwrap();
        let mut stream = agent.stream_with("task", RunOptions::default().with_running_calls(calls.clone()));
        let (mut ended, mut last) = (Vec::new(), None);
        while let Some(event) = stream.next().await {
            match event.unwrap() {
                Event::CallRunning { call } => {
                    // The event precedes the start of the call.
                    let stopping = calls.clone();
                    tokio::spawn(async move {
                        while !stopping.stop(&call) {
                            tokio::task::yield_now().await;
                        }
                    });
                }
                Event::CallEnded { result } => ended.push(result.status),
                Event::Finished { outcome, .. } => last = Some(outcome),
                _ => {}
            }
        }
        assert_eq!(ended.first(), Some(&ResultStatus::Cancelled));
        assert!(matches!(last, Some(Outcome::Completed { .. })), "{last:?}");
        assert!(calls.ids().is_empty() && calls.stop_all() == 0, "an ended call is not a running one");
    }
}

#[tokio::test]
async fn dropping_the_stream_drops_the_tools() {
    let way = way();
    let scene = Scene::new(WAITS, way);
    let agent = scene.builder().approver(Silent).build().unwrap();
    let mut stream = agent.stream("task");
    while let Some(event) = stream.next().await {
        if matches!(event.unwrap(), Event::CallRunning { .. }) {
            break;
        }
    }
    drop(stream);
    // The tasks are aborted; they are dropped when the runtime next runs them.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(scene.wait.calls.load(Ordering::SeqCst), 1);
    assert_eq!(scene.wait.dropped.load(Ordering::SeqCst), 1);
}

// SECURITY "Journal": if the intent cannot be written, the call is not run.
#[tokio::test]
async fn actions_that_cannot_be_recorded_do_not_happen() {
    let way = way();
    let starts = [CallStart::Early, CallStart::AfterAnswer];
    for (fails_at, start) in (0..6).flat_map(|at| starts.map(|start| (at, start))) {
        let scene = Scene::new(WHOLE, way.clone());
        let journal = Shared { fails_at: Some(fails_at), ..Shared::default() };
        let agent = scene.builder().approver(ApproveAll).call_start(start).build().unwrap();
        let options = RunOptions::default().with_journal(journal.clone());
        let error = agent.stream_with("task", options).report().await.unwrap_err();
        assert!(matches!(error, AgentError::Journal(_)), "{error}");
        let records = journal.inner.lock().unwrap();
        let intents = windlass_journal::Journal::records(&*records).unwrap();
        let intents =
            intents.iter().filter(|record| record.body.as_str().contains(r#""entry":"intent""#)).count();
        let mut ran = scene.write.calls.load(Ordering::SeqCst);
        // A call that starts early changes nothing, and is recorded when its answer is.
        if start == CallStart::AfterAnswer {
            ran += scene.read.calls.load(Ordering::SeqCst);
        }
        assert!(ran <= intents, "{ran} calls ran on {intents} intents");
    }
}
