//! Questions in a queue.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use futures_util::{FutureExt, StreamExt};
use windlass_agent::{AnswerRefused, Approver, ChannelApprover, RunOptions};
use windlass_hitl::ApprovalDecision;
use windlass_protocol::ResultStatus;
use windlass_tool::CancellationToken;

use super::{ASKS, a_request, statuses};
use crate::scene::{Scene, events, way};

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

#[tokio::test]
async fn an_application_takes_questions_and_answers_them() {
    let scene = Scene::new(ASKS, way());
    let (approver, mut questions) = ChannelApprover::new(one());
    let agent = scene.builder().approver(approver).build().unwrap();
    let application = async {
        let question = questions.next().await.unwrap();
        assert_eq!(question.request().tool.as_str(), "change");
        question.approve().unwrap();
    };
    let (seen, ()) = tokio::join!(events(agent.stream("task")), application);
    assert_eq!(statuses(&seen), [ResultStatus::Ok, ResultStatus::Ok]);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_dropped_question_counts_as_no_approver() {
    for keeps_queue in [true, false] {
        let scene = Scene::new(ASKS, way());
        let (approver, questions) = ChannelApprover::new(one());
        let agent = scene.builder().approver(approver).build().unwrap();
        let application = async {
            let mut questions = questions;
            if keeps_queue {
                drop(questions.next().await.unwrap());
                questions.next().await;
            }
        };
        let run = async {
            let seen = events(agent.stream("task")).await;
            drop(agent);
            seen
        };
        let (seen, ()) = tokio::join!(run, application);
        assert_eq!(statuses(&seen), [ResultStatus::Denied, ResultStatus::Ok]);
        assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
    }
}

// F28: the prompt is withdrawn, and a later answer is refused.
#[tokio::test]
async fn a_cancelled_question_reports_it_and_refuses_an_answer() {
    let scene = Scene::new(ASKS, way());
    let (approver, mut questions) = ChannelApprover::new(one());
    let stop = CancellationToken::new();
    let agent = scene.builder().approver(approver).build().unwrap();
    let options = RunOptions::default().with_cancellation(stop.clone());
    let application = async {
        let mut question = questions.next().await.unwrap();
        assert!(!question.has_ended());
        stop.cancel();
        question.wait_until_ended().await;
        assert_eq!(question.approve(), Err(AnswerRefused::Late));
    };
    let (seen, ()) = tokio::join!(events(agent.stream_with("task", options)), application);
    assert_eq!(statuses(&seen), [ResultStatus::Cancelled]);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

// F29: a question without an answer for 300 s has timed out; an approval after 301 s is refused.
#[tokio::test(start_paused = true)]
async fn an_answer_after_the_time_is_refused() {
    let scene = Scene::new(ASKS, way());
    let (approver, mut questions) = ChannelApprover::new(one());
    let agent = scene.builder().approver(approver).build().unwrap();
    let application = async {
        let question = questions.next().await.unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(301)).await;
        assert_eq!(question.approve(), Err(AnswerRefused::Late));
    };
    let (seen, ()) = tokio::join!(events(agent.stream("task")), application);
    assert_eq!(statuses(&seen), [ResultStatus::TimedOut, ResultStatus::Ok]);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_answer_to_another_question_is_refused() {
    let request = a_request().await;
    let (approver, mut questions) = ChannelApprover::new(one());
    let application = async {
        let question = questions.next().await.unwrap();
        assert_eq!(question.answer(ApprovalDecision::approve("another")), Err(AnswerRefused::WrongQuestion));
    };
    let (decision, ()) = tokio::join!(approver.decide(&request), application);
    assert_eq!(decision, None);
}

#[tokio::test]
async fn questions_without_a_waiter_are_not_delivered_and_a_full_queue_blocks() {
    let request = a_request().await;
    let (approver, mut questions) = ChannelApprover::new(one());
    // Three are asked: one is in the queue, two wait for a place. The first is given up.
    let mut asked: Vec<_> = (0..3).map(|_| approver.decide(&request)).collect();
    for waiting in &mut asked {
        assert!(waiting.now_or_never().is_none());
    }
    drop(asked.remove(0));
    let application = async {
        questions.next().await.unwrap().approve().unwrap();
        questions.next().await.unwrap().deny(Some("no".into())).unwrap();
    };
    let (decisions, ()) = tokio::join!(futures_util::future::join_all(asked), application);
    let said: Vec<_> = decisions.into_iter().map(|decision| decision.unwrap().approved).collect();
    assert_eq!(said, [true, false]);
}
