//! A call that a person approves often enough runs without another question (H9).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_agent::{Approver, ApproverFuture};
use windlass_hitl::{ApprovalDecision, ApprovalHistory, ApprovalRequest, Policy};

use crate::scene::{Scene, way};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// A person who approves, denies or does not answer, and counts the questions.
#[derive(Clone)]
struct Person {
    says: Option<bool>,
    asked: Arc<AtomicUsize>,
}

impl Approver for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let id = request.request_id.clone();
        let Some(yes) = self.says else { return Box::pin(std::future::pending()) };
        Box::pin(async move {
            Some(if yes { ApprovalDecision::approve(id) } else { ApprovalDecision::deny(id, None) })
        })
    }
}

/// Runs with a person and an approval history. Returns the number of questions and the history afterwards.
async fn run(says: Option<bool>, learned: ApprovalHistory) -> (usize, ApprovalHistory) {
    let person = Person { says, asked: Arc::default() };
    let kept = Arc::new(Mutex::new(learned.clone()));
    let keeper = kept.clone();
    let agent = Scene::new(SCRIPT, way())
        .builder()
        .approver(person.clone())
        .approval_history(learned, move |learned| *keeper.lock().unwrap() = learned.clone())
        .build()
        .unwrap();
    assert_eq!(agent.run("task").await.unwrap().text(), Some("done"));
    let kept = kept.lock().unwrap().clone();
    (person.asked.load(Ordering::SeqCst), kept)
}

fn nothing() -> ApprovalHistory {
    ApprovalHistory::new(Policy::default().epoch())
}

#[tokio::test]
async fn after_three_approvals_no_question_is_asked() {
    let (asked, learned) = run(Some(true), nothing()).await;
    assert_eq!(asked, 2);
    let (asked, learned) = run(Some(true), learned).await;
    assert_eq!(asked, 1, "the third yes teaches it");
    let (asked, _) = run(Some(true), learned).await;
    assert_eq!(asked, 0);
}

#[tokio::test]
async fn a_denial_is_learned_too() {
    let (_, learned) = run(Some(false), nothing()).await;
    let (_, lesson) = learned.entries().next().unwrap();
    assert_eq!((lesson.approvals, lesson.total), (0, 2));
}

// H12: the questions time out after five minutes each, on a clock that only the test advances.
#[tokio::test(start_paused = true)]
async fn an_unanswered_question_counts_as_asked() {
    let began = tokio::time::Instant::now();
    let (asked, learned) = run(None, nothing()).await;
    assert!(began.elapsed() >= Duration::from_mins(10));
    let (_, lesson) = learned.entries().next().unwrap();
    assert_eq!((asked, lesson.approvals, lesson.total), (2, 0, 2));
}
