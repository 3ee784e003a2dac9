//! Approvers: queues, folders and lists, and answers that arrive twice, late or never.

mod channel;
#[cfg(unix)]
mod file;

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use windlass_agent::{Answers, ApproverReply, Event, Outcome, RunOptions, StopCause};
use windlass_hitl::{AnswerError, ApprovalDecision, ApprovalOutcome, ApprovalRequest, Approvals};
use windlass_protocol::ResultStatus;
use windlass_tool::CancellationToken;

use crate::scene::{Scene, events, way};

pub(super) const ASKS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// A question as a run asks it.
pub(super) async fn a_request() -> ApprovalRequest {
    let (scene, answers) = (Scene::new(ASKS, way()), Answers::default());
    scene.builder().approver(answers.clone()).build().unwrap().run("task").await.unwrap();
    answers.requests().remove(0)
}

/// Returns how the calls of these events ended.
pub(super) fn statuses(events: &[Event]) -> Vec<ResultStatus> {
    let status = |event: &Event| match event {
        Event::CallEnded { result } => Some(result.status),
        _ => None,
    };
    events.iter().filter_map(status).collect()
}

#[tokio::test]
async fn a_list_approver_answers_in_order_and_then_has_no_answer() {
    const THREE: &str = r#"{"turns": [
        {"steps": [{"call": {"name": "change", "arguments": {"n": 1}}}]},
        {"steps": [{"call": {"name": "change", "arguments": {"n": 2}}}]},
        {"steps": [{"call": {"name": "change", "arguments": {"n": 3}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;
    let scene = Scene::new(THREE, way());
    let answers = Answers::new([ApproverReply::Approve, ApproverReply::Deny(Some("not that".into()))]);
    let agent = scene.builder().approver(answers.clone()).build().unwrap();
    let seen = events(agent.stream("task")).await;
    assert_eq!(
        statuses(&seen),
        [ResultStatus::Ok, ResultStatus::Denied, ResultStatus::Denied, ResultStatus::Ok]
    );
    assert_eq!(
        (scene.write.calls.load(Ordering::SeqCst), answers.requests().len(), answers.remaining()),
        (1, 3, 0)
    );
}

// F28: a cancelled run has one result for each call, runs no call, and withdraws its question.
#[tokio::test]
async fn a_cancelled_question_runs_nothing_and_has_one_result() {
    let scene = Scene::new(ASKS, way());
    let (stop, answers) = (CancellationToken::new(), Answers::new([ApproverReply::Wait]));
    let agent = scene.builder().approver(answers.clone()).build().unwrap();
    let mut stream = agent.stream_with("task", RunOptions::default().with_cancellation(stop.clone()));
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await {
        let event = event.unwrap();
        if matches!(event, Event::ToolApprovalRequest { .. }) {
            stop.cancel();
        }
        seen.push(event);
    }
    assert_eq!(statuses(&seen), [ResultStatus::Cancelled]);
    let outcome = Outcome::Stopped { cause: StopCause::Cancelled };
    assert!(matches!(seen.last(), Some(Event::Finished { outcome: end, .. }) if *end == outcome));
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

// F29 with a clock that only the test moves: the answer comes a second after the time is over.
#[tokio::test(start_paused = true)]
async fn a_question_times_out_once_and_stays_ended() {
    let scene = Scene::new(ASKS, way());
    let agent = scene.builder().approver(Answers::new([ApproverReply::Wait])).build().unwrap();
    let began = tokio::time::Instant::now();
    let seen = events(agent.stream("task")).await;
    assert_eq!(statuses(&seen), [ResultStatus::TimedOut, ResultStatus::Ok]);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
    assert!((Duration::from_mins(5)..Duration::from_secs(301)).contains(&began.elapsed()));
}

// An answer that names another question is refused; the question stays open until it times out.
#[tokio::test(start_paused = true)]
async fn an_answer_to_another_question_is_refused_loudly() {
    let scene = Scene::new(ASKS, way());
    let agent = scene.builder().approver(Answers::new([ApproverReply::WrongQuestion])).build().unwrap();
    let seen = events(agent.stream("task")).await;
    assert!(seen.iter().any(|event| matches!(event, Event::AnswerRefused { .. })));
    assert_eq!(statuses(&seen), [ResultStatus::TimedOut, ResultStatus::Ok]);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

// SECURITY "approvals": of several answers to one question only the first counts, in 10,000 questions and in any
// order.
#[tokio::test]
async fn ten_thousand_double_answers_count_once_each() {
    let request = a_request().await;
    let mut approvals = Approvals::default();
    let (mut counted, mut refused) = (0_u32, 0_u32);
    for number in 0..10_000_u64 {
        let id = format!("approval-{number}");
        let mut question = request.clone();
        question.request_id.clone_from(&id);
        approvals.ask(question, number).unwrap();
        let yes = ApprovalOutcome::Answered(ApprovalDecision::approve(&id));
        let no = ApprovalOutcome::Answered(ApprovalDecision::deny(&id, None));
        let time_out = ApprovalOutcome::TimedOut { request_id: id };
        // Use six orders of an approval, a denial and a timeout in turn.
        let order = match number % 6 {
            0 => [&yes, &yes, &no],
            1 => [&yes, &no, &time_out],
            2 => [&no, &yes, &yes],
            3 => [&no, &time_out, &yes],
            4 => [&time_out, &yes, &no],
            _ => [&time_out, &no, &yes],
        };
        for outcome in order {
            match approvals.end(outcome) {
                Ok(_) => counted += 1,
                Err(AnswerError::Late { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert_eq!((counted, refused), (10_000, 20_000));
}
