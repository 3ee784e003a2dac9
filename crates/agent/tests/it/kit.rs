//! The conformance kits: approvers of this crate pass, and a wrong approver and a wrong summarizer is rejected for each
//! rule.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::{Notify, mpsc};
use windlass_agent::kit::{
    ApproverRule, SummarizerRule, check_approver, check_automatic_approver, check_model, check_summarizer,
};
use windlass_agent::{
    ApproveAll, Approver, ApproverFuture, ChannelApprover, HookFuture, ModelReviewer, OpenQuestion,
    Summarizer,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_mock::MockModel;
use windlass_protocol::{Message, Request};

#[tokio::test]
async fn the_mock_model_conforms() {
    let mut model = MockModel::new();
    for _ in 0..6 {
        model = model
            .thinking("hm")
            .text("I look.")
            .calls([("read", serde_json::json!({"path": "a"}))])
            .usage(9, 3);
    }
    check_model(&model, &Request::new("mock-1", vec![Message::user("hello")])).await.unwrap();
}

/// A channel with a task that keeps its open questions for the person.
struct Desk {
    approver: ChannelApprover,
    open: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<OpenQuestion>>>,
}

impl Desk {
    fn new() -> Self {
        let (approver, mut questions) = ChannelApprover::new(std::num::NonZeroUsize::new(8).unwrap());
        let (sender, open) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(question) = questions.next().await {
                let _ = sender.send(question);
            }
        });
        Self { approver, open: Arc::new(tokio::sync::Mutex::new(open)) }
    }

    async fn answer(&self, request: &ApprovalRequest, yes: bool) {
        let mut open = self.open.lock().await;
        let mut others = Vec::new();
        let question = loop {
            let question = open.recv().await.unwrap();
            if question.request().request_id == request.request_id && !question.has_ended() {
                break question;
            }
            others.push(question);
        };
        // The questions that are answered later are kept alive by the next receiver.
        let (sender, next) = mpsc::unbounded_channel();
        for other in others {
            let _ = sender.send(other);
        }
        let mut rest = std::mem::replace(&mut *open, next);
        tokio::spawn(async move {
            while let Some(question) = rest.recv().await {
                let _ = sender.send(question);
            }
        });
        let answered = if yes { question.approve() } else { question.deny(None) };
        answered.unwrap();
    }
}

#[tokio::test]
async fn approvers_that_ask_conform() {
    let desk = Desk::new();
    check_approver(&desk.approver, async |request, yes| desk.answer(request, yes).await).await.unwrap();
    // The risk of the questions is medium, so the reviewer leaves them to the human.
    let desk = Desk::new();
    let reviewer = ModelReviewer::new(MockModel::new(), "mock-1", desk.approver.clone());
    check_approver(&reviewer, async |request, yes| desk.answer(request, yes).await).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test is the other process that answers by files")]
async fn the_folder_of_questions_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals");
    let approver = windlass_agent::FileApprover::open(&path).unwrap().with_interval(Duration::ZERO);
    let answer = async |request: &ApprovalRequest, yes: bool| {
        let id = &request.request_id;
        while !path.join(format!("{id}.request.json")).exists() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let answer = serde_json::json!({"request_id": id, "approved": yes});
        std::fs::write(path.join("editor.tmp"), answer.to_string()).unwrap();
        std::fs::rename(path.join("editor.tmp"), path.join(format!("{id}.decision.json"))).unwrap();
    };
    check_approver(&approver, answer).await.unwrap();
}

#[tokio::test]
async fn an_automatic_approver_conforms_and_a_wrong_one_does_not() {
    check_automatic_approver(&ApproveAll).await.unwrap();
    let violation = check_automatic_approver(&Form::new(Defect::NamesTheFirst)).await.unwrap_err();
    assert_eq!(violation.rule, ApproverRule::KeepsQuestionsApart, "{violation}");
}

/// A deviation of an approver.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    Nothing,
    ApprovesAtOnce,
    DeniesAtOnce,
    LosesAnswers,
    NamesAnother,
    NamesTheFirst,
    ApprovesDenials,
    AnswersInOrder,
    StaysOpen,
}

const WRONG: [(ApproverRule, Defect); 7] = [
    (ApproverRule::WaitsForTheAnswer, Defect::ApprovesAtOnce),
    (ApproverRule::WaitsForTheAnswer, Defect::DeniesAtOnce),
    (ApproverRule::Decides, Defect::LosesAnswers),
    (ApproverRule::NamesItsQuestion, Defect::NamesAnother),
    (ApproverRule::ReturnsTheAnswer, Defect::ApprovesDenials),
    (ApproverRule::KeepsQuestionsApart, Defect::AnswersInOrder),
    (ApproverRule::SurvivesWithdrawals, Defect::StaysOpen),
];

/// The answers of a form, by the id of their question.
struct Form {
    defect: Defect,
    answers: Mutex<Vec<(String, bool)>>,
    changed: Notify,
    open: Mutex<BTreeSet<String>>,
}

impl Form {
    fn new(defect: Defect) -> Self {
        Self { defect, answers: Mutex::default(), changed: Notify::new(), open: Mutex::default() }
    }

    fn answer(&self, request: &ApprovalRequest, yes: bool) {
        self.answers.lock().unwrap().push((request.request_id.clone(), yes));
        self.changed.notify_waiters();
    }

    fn take(&self, id: &str) -> Option<bool> {
        let mut answers = self.answers.lock().unwrap();
        let at = answers.iter().position(|(name, _)| name == id || self.defect == Defect::AnswersInOrder)?;
        Some(answers.remove(at).1)
    }

    async fn ask(&self, id: &str) -> Option<bool> {
        match self.defect {
            Defect::ApprovesAtOnce | Defect::NamesTheFirst => return Some(true),
            Defect::DeniesAtOnce => return Some(false),
            // Only an answer removes the question, so a withdrawn one stays.
            Defect::StaysOpen if !self.open.lock().unwrap().insert(id.to_owned()) => return None,
            _ => {}
        }
        let yes = loop {
            let changed = self.changed.notified();
            match self.take(id) {
                Some(yes) => break yes,
                None => changed.await,
            }
        };
        self.open.lock().unwrap().remove(id);
        (self.defect != Defect::LosesAnswers).then_some(yes || self.defect == Defect::ApprovesDenials)
    }
}

impl Approver for Form {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async {
            let id = match self.defect {
                Defect::NamesAnother => "another",
                Defect::NamesTheFirst => "kit-auto-1",
                _ => &request.request_id,
            };
            let yes = self.ask(&request.request_id).await?;
            Some(if yes { ApprovalDecision::approve(id) } else { ApprovalDecision::deny(id, None) })
        })
    }
}

#[tokio::test]
async fn a_wrong_approver_is_rejected_for_each_rule() {
    let form = Form::new(Defect::Nothing);
    check_approver(&form, async |request, yes| form.answer(request, yes)).await.unwrap();
    for (rule, defect) in WRONG {
        let form = Form::new(defect);
        let violation = check_approver(&form, async |request, yes| form.answer(request, yes)).await;
        let violation = violation.expect_err(&format!("{defect:?}"));
        assert_eq!(violation.rule, rule, "{defect:?}: {violation}");
        assert!(violation.to_string().starts_with(&rule.to_string()), "{violation}");
    }
    let mut rejected: Vec<_> = WRONG.iter().map(|(rule, _)| *rule).collect();
    rejected.dedup();
    assert_eq!(rejected, ApproverRule::ALL);
}

/// A summarizer whose summaries a function returns; the function gets the number of the summary, from 0.
struct Summaries<F>(F, AtomicUsize);

impl<F: Fn(usize, &Request) -> Option<String> + Send + Sync> Summarizer for Summaries<F> {
    fn summarize<'a>(&'a self, request: &'a Request) -> HookFuture<'a, Option<String>> {
        Box::pin(async {
            let number = self.1.fetch_add(1, Ordering::SeqCst);
            (self.0)(number, request)
        })
    }
}

struct Endless;

impl Summarizer for Endless {
    fn summarize<'a>(&'a self, _: &'a Request) -> HookFuture<'a, Option<String>> {
        Box::pin(std::future::pending())
    }
}

async fn check_summary(
    summary: impl Fn(usize, &Request) -> Option<String> + Send + Sync,
) -> Option<SummarizerRule> {
    check_summarizer(&Summaries(summary, AtomicUsize::new(0))).await.err().map(|violation| violation.rule)
}

#[tokio::test(start_paused = true)]
async fn a_wrong_summarizer_is_rejected_for_each_rule() {
    let all = |request: &Request| -> String { request.messages.iter().map(Message::text).collect() };
    assert_eq!(check_summary(|_, _| Some("files were changed".into())).await, None);
    let rejected = [
        check_summarizer(&Endless).await.err().map(|violation| violation.rule),
        check_summary(|_, request| {
            Some(request.messages.iter().nth(2)?.text().split_once('m').unwrap().0.into())
        })
        .await,
        check_summary(|_, _| Some("  ".into())).await,
        check_summary(|_, request| Some(all(request))).await,
        check_summary(|number, _| (number < 3).then(|| "files were changed".into())).await,
    ];
    assert_eq!(rejected.map(Option::unwrap), SummarizerRule::ALL);
}
