//! Calls that are made without a model, as if a model had requested them.

use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use windlass_agent::{
    Agent, AgentBuilder, AgentError, Answers, ApproveAll, ApproverReply, BatchReport, Entry, Event, Outcome,
    RunOptions, StopCause, StoredAnswers, UnansweredPolicy, Wait,
};
use windlass_hitl::ApprovalDecision;
use windlass_journal::{Durability, Journal, MemoryJournal, Record};
use windlass_protocol::{Arguments, CallId, ResultStatus, ToolCall, ToolName};
use windlass_tool::CancellationToken;

use crate::scene::{Scene, Shared, way};

/// A model that gets no request: its script is empty.
const NO_ANSWER: &str = r#"{"turns": []}"#;

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    let id = CallId::new(id).unwrap();
    ToolCall::function(id, ToolName::new(name).unwrap(), Arguments::parse(arguments).unwrap())
}

fn calls() -> Vec<ToolCall> {
    vec![
        call("a", "look", r#"{"n":1}"#),
        call("b", "change", r#"{"n":1}"#),
        call("c", "change", r#"{"n":2}"#),
    ]
}

fn agent(scene: &Scene, with: impl FnOnce(AgentBuilder) -> AgentBuilder) -> Agent {
    with(scene.builder()).build().unwrap()
}

async fn execute(agent: &Agent, calls: Vec<ToolCall>, journal: impl Journal + Send + 'static) -> BatchReport {
    let options = RunOptions::default().with_journal(journal);
    agent.execute_calls(calls, options).unwrap().finish().await.unwrap()
}

fn statuses(report: &BatchReport) -> Vec<ResultStatus> {
    report.results.iter().map(|result| result.status).collect()
}

fn cut(records: &[Record]) -> MemoryJournal {
    let mut journal = MemoryJournal::default();
    for record in records {
        journal.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    journal
}

// H1: calls of `execute_calls` are also looked up, checked and decided by policy.
#[tokio::test]
async fn performed_calls_go_the_way_of_every_call() {
    let scene = Scene::new(NO_ANSWER, way());
    let answers = Answers::new([ApproverReply::Deny(Some("not now".into()))]);
    let agent = agent(&scene, |builder| builder.approver(answers.clone()));
    let calls = vec![
        call("a", "look", "{}"),
        call("b", "change", "{}"),
        call("c", "no_such_tool", "{}"),
        call("d", "attempt_completion", r#"{"wrong": 1}"#),
        call("e", "attempt_completion", r#"{"result": "done"}"#),
    ];
    let report = execute(&agent, calls, MemoryJournal::default()).await;
    assert!(matches!(report.outcome, Outcome::Completed { .. }));
    let expected = [
        ResultStatus::Ok,
        ResultStatus::Denied,
        ResultStatus::UnknownTool,
        ResultStatus::InvalidArguments,
        ResultStatus::Ok,
    ];
    assert_eq!(statuses(&report), expected);
    assert!(report.results[1].wire_text().contains("not now"));
    assert_eq!(answers.requests().len(), 1);
    assert!(scene.model.requests().is_empty(), "no model is asked");
}

#[tokio::test]
async fn no_calls_have_no_results() {
    let scene = Scene::new(NO_ANSWER, way());
    let report = execute(&agent(&scene, |builder| builder), Vec::new(), MemoryJournal::default()).await;
    assert!(report.results.is_empty());
    assert!(matches!(report.outcome, Outcome::Completed { .. }));
}

// R6: a batch resumes from any prefix of its records; after the last record it only returns the results.
#[tokio::test]
async fn performing_continues_from_every_record() {
    let whole = Shared::default();
    let scene = Scene::new(NO_ANSWER, way());
    let expected = execute(&agent(&scene, |b| b.approver(ApproveAll)), calls(), whole.clone()).await;
    let records = whole.records().unwrap();
    for at in 0..=records.len() {
        let scene = Scene::new(NO_ANSWER, way());
        let report = execute(&agent(&scene, |b| b.approver(ApproveAll)), calls(), cut(&records[..at])).await;
        let entries: Vec<Entry> = records[..at].iter().map(|record| record.read().unwrap()).collect();
        let ended = entries.iter().filter(|entry| matches!(entry, Entry::Result { .. })).count();
        let runs = scene.read.calls.load(Ordering::SeqCst) + scene.write.calls.load(Ordering::SeqCst);
        let unknown =
            report.results.iter().filter(|result| result.status == ResultStatus::EffectsUnknown).count();
        assert_eq!(runs + ended + unknown, 3, "cut at {at}");
        assert_eq!(report.outcome, expected.outcome, "cut at {at}");
        assert_eq!(report.results.len(), 3, "cut at {at}");
    }
}

#[tokio::test]
async fn a_record_of_other_calls_is_refused() {
    let journal = Shared::default();
    let scene = Scene::new(NO_ANSWER, way());
    let agent = agent(&scene, |builder| builder.approver(ApproveAll));
    execute(&agent, calls(), journal.clone()).await;
    let error = agent
        .execute_calls([call("z", "look", "{}")], RunOptions::default().with_journal(journal))
        .unwrap_err();
    assert!(matches!(error, AgentError::OtherCalls));
}

// DESIGN "Suspend anywhere".
#[tokio::test]
async fn an_unanswered_question_suspends_the_run_and_is_answered_later() {
    let journal = Shared::default();
    let scene = Scene::new(NO_ANSWER, way());
    let suspending = agent(&scene, |builder| builder.on_unanswered(UnansweredPolicy::Suspend));
    let calls = || vec![call("a", "look", "{}"), call("b", "change", "{}")];
    let report = execute(&suspending, calls(), journal.clone()).await;
    let Outcome::Suspended { waits } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert!(matches!(&waits[..], [Wait::Approval { .. }]));
    assert_eq!(statuses(&report), [ResultStatus::Ok], "what is there is told");
    let asked = |record: &Record| match record.read::<Entry>().unwrap() {
        Entry::Asked { request } => Some(*request),
        _ => None,
    };
    let question = journal.records().unwrap().iter().find_map(asked).unwrap();
    let yes = ApprovalDecision::approve(question.request_id.clone());
    let stored = StoredAnswers::new(Answers::default()).with_answer(yes, question.digest.clone());
    let elsewhere =
        agent(&scene, |builder| builder.on_unanswered(UnansweredPolicy::Suspend).approver(stored));
    let report = execute(&elsewhere, calls(), journal).await;
    assert_eq!(statuses(&report), [ResultStatus::Ok, ResultStatus::Ok]);
    assert_eq!(scene.read.calls.load(Ordering::SeqCst), 1);
}

// L7.
#[tokio::test]
async fn stopping_gives_every_call_its_result() {
    let scene = Scene::new(NO_ANSWER, way());
    let agent = agent(&scene, |builder| builder.approver(ApproveAll));
    let token = CancellationToken::new();
    let options = RunOptions::default().with_cancellation(token.clone());
    let mut batch =
        agent.execute_calls([call("a", "wait", "{}"), call("b", "change", "{}")], options).unwrap();
    while let Some(event) = batch.next().await {
        if matches!(event.unwrap(), Event::CallRunning { .. }) {
            token.cancel();
        }
    }
    let report = batch.into_report().unwrap();
    assert_eq!(report.outcome, Outcome::Stopped { cause: StopCause::Cancelled });
    assert_eq!(report.results.len(), 2);
}
