//! Approvals with changed arguments: the changed call is checked, decided, bound and recorded.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use proptest::prelude::*;
use windlass_agent::{
    Agent, Answers, ApproverReply, ChannelApprover, Event, Outcome, Report, RunOptions, UnansweredPolicy,
};
use windlass_hitl::{Objection, Policy, PolicyInput};
use windlass_journal::{Durability, Journal};
use windlass_protocol::{
    Arguments, Effect, Hints, Part, Payload, ResultStatus, ToolName, ToolResult, ToolSpec,
};
use windlass_redact::Redactor;
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::Toolbox;

use crate::scene::{Shared, way};

/// A tool that keeps the arguments with which it ran.
#[derive(Clone)]
struct Pay {
    spec: ToolSpec,
    paid: Arc<Mutex<Vec<String>>>,
}

impl Pay {
    fn new() -> Self {
        let schema = r#"{"type":"object","properties":{"cents":{"type":"integer"},"to":{"type":"string"}},
            "required":["cents"],"additionalProperties":false}"#;
        let spec = ToolSpec::function(ToolName::new("pay").unwrap(), "Pays.", schema.parse().unwrap());
        Self { spec, paid: Arc::default() }
    }

    fn paid(&self) -> Vec<String> {
        self.paid.lock().unwrap().clone()
    }
}

impl Tool for Pay {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Unknown]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        self.paid.lock().unwrap().push(payload.text());
        Box::pin(async { Ok(Output::text("paid")) })
    }
}

fn cents(facts: &PolicyInput) -> Option<i64> {
    match &facts.payload {
        Payload::Function { arguments } => arguments.get("cents").and_then(serde_json::Value::as_i64),
        _ => None,
    }
}

/// Denies payments above 100 cents, and asks with a rule of its own above 50.
fn policy() -> Policy {
    let limit = |facts: &PolicyInput| {
        let cents = cents(facts)?;
        (cents > 100).then(|| Objection::deny("too much"))
    };
    let large = |facts: &PolicyInput| {
        let cents = cents(facts)?;
        (cents > 50).then(|| Objection::ask("a large payment"))
    };
    Policy::default().with_check("limit", limit).unwrap().with_check("a-large", large).unwrap()
}

fn arguments(text: &str) -> Arguments {
    Arguments::parse(text).unwrap()
}

fn edit(text: &str) -> ApproverReply {
    ApproverReply::Edit(arguments(text))
}

const SCRIPT: &str = r#"{"turns": [{"steps": [{"call": {"id": "p1", "name": "pay", "arguments": {"cents": 10}}}]},
    {"steps": [{"text": "done"}]}]}"#;

fn agent(pay: &Pay, human: &Answers) -> Agent {
    let toolbox = Toolbox::builder().tool(Arc::new(pay.clone())).build().unwrap();
    let builder = Agent::builder().model(way().model(SCRIPT), "scripted-1").toolbox(toolbox);
    builder.policy(policy()).approver(human.clone()).build().unwrap()
}

fn result(report: &Report) -> ToolResult {
    let parts = report.transcript.messages().iter().flat_map(|message| &message.parts);
    let mut results =
        parts.filter_map(|part| if let Part::Result(result) = part { Some(result) } else { None });
    results.next_back().unwrap().clone()
}

async fn run(replies: impl IntoIterator<Item = ApproverReply>) -> (Vec<String>, ToolResult, usize) {
    let (pay, human) = (Pay::new(), Answers::new(replies));
    let report = agent(&pay, &human).run("Pay.").await.unwrap();
    (pay.paid(), result(&report), human.requests().len())
}

#[tokio::test]
async fn an_edited_call_runs_without_a_second_question_and_is_reported() {
    let (paid, result, asked) = run([edit(r#"{"cents": 20, "to": "ada"}"#)]).await;
    assert_eq!(paid, [r#"{"cents": 20, "to": "ada"}"#]);
    assert_eq!((result.status, asked), (ResultStatus::Ok, 1));
    let text = result.wire_text();
    assert!(
        text.contains(r#"The human changed the arguments of this call to {"cents": 20, "to": "ada"}"#),
        "{text}"
    );
    assert!(text.contains("paid"), "{text}");
}

#[tokio::test]
async fn a_change_lifts_no_denial() {
    let (paid, result, asked) = run([edit(r#"{"cents": 101}"#), ApproverReply::Approve]).await;
    assert_eq!((paid, result.status, asked), (vec![], ResultStatus::Denied, 1));
    assert!(result.wire_text().contains("too much"));
}

#[tokio::test]
async fn an_edit_that_matches_another_rule_is_asked_about_again() {
    let (paid, _, asked) = run([edit(r#"{"cents": 60}"#), ApproverReply::Deny(None)]).await;
    assert_eq!((paid, asked), (vec![], 2));
    let (paid, _, asked) = run([edit(r#"{"cents": 60}"#), ApproverReply::Approve]).await;
    assert_eq!((paid, asked), (vec![r#"{"cents": 60}"#.to_owned()], 2));
}

#[tokio::test]
async fn an_edit_must_fit_the_schema_and_a_coerced_one_is_asked_about_again() {
    let (paid, result, asked) = run([edit(r#"{"dollars": 1}"#)]).await;
    assert_eq!((paid, result.status, asked), (vec![], ResultStatus::InvalidArguments, 1));
    let (paid, _, asked) = run([edit(r#"{"cents": "20"}"#), ApproverReply::Approve]).await;
    assert_eq!((paid.len(), asked), (1, 2), "the human did not write the number that would run");
}

#[tokio::test]
async fn endless_edits_of_a_call_are_stopped() {
    let pay = Pay::new();
    // A change that must be coerced is asked about each time.
    let loud = (0..20).map(|n| edit(&format!(r#"{{"cents": "{}"}}"#, 20 + n)));
    let human = Answers::new(loud);
    let report = agent(&pay, &human).run("Pay.").await.unwrap();
    assert_eq!((pay.paid().len(), human.requests().len()), (0, 9));
    assert!(result(&report).wire_text().contains("changed too often"));
}

#[tokio::test]
async fn events_contain_the_arguments_that_run() {
    let pay = Pay::new();
    let toolbox = Toolbox::builder().tool(Arc::new(pay.clone())).build().unwrap();
    let (approver, mut questions) = ChannelApprover::new(NonZeroUsize::MIN);
    let agent = Agent::builder().model(way().model(SCRIPT), "m").toolbox(toolbox).approver(approver);
    let mut events = agent.build().unwrap().stream("Pay.");
    let answer =
        async { questions.next().await.unwrap().approve_with(arguments(r#"{"cents": 7}"#)).unwrap() };
    let read = async {
        let mut shown = Vec::new();
        while let Some(event) = events.next().await {
            match event.unwrap() {
                Event::CallEdited { call } => shown.push(call.payload.text()),
                Event::CallRunning { call } => shown.push(call.to_string()),
                _ => {}
            }
        }
        shown
    };
    let ((), shown) = tokio::join!(answer, read);
    assert_eq!(shown, [r#"{"cents": 7}"#, "p1"]);
    assert_eq!(pay.paid(), [r#"{"cents": 7}"#]);
}

// The record has both calls, and a run that is resumed anywhere after the answer runs the changed one.
#[tokio::test]
async fn a_resumed_run_keeps_the_change() {
    let (pay, human) = (Pay::new(), Answers::new([edit(r#"{"cents": 20}"#)]));
    let journal = Shared::default();
    let options = RunOptions::default().with_journal(journal.clone());
    agent(&pay, &human).run_with("Pay.", options).await.unwrap();
    let records = journal.records().unwrap();
    let position =
        |needle: &str| records.iter().position(|record| record.body.as_str().contains(needle)).unwrap();
    let (answered, intent) = (position("\"entry\":\"approval\""), position("\"entry\":\"intent\""));
    assert!(records[answered].body.as_str().contains(r#"{\"cents\": 20}"#));
    for cut in answered + 1..=intent {
        let mut journal = Shared::default();
        for record in &records[..cut] {
            journal.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
        }
        let (pay, nobody) = (Pay::new(), Answers::default());
        let builder = agent(&pay, &nobody).copy_builder().approver(nobody.clone());
        let agent = builder.on_unanswered(UnansweredPolicy::Suspend).build().unwrap();
        let options = RunOptions::default().with_journal(journal);
        let report = agent.resume(options).unwrap().report().await.unwrap();
        assert!(matches!(report.outcome, Outcome::Completed { .. }), "cut {cut}: {:?}", report.outcome);
        assert_eq!(
            (pay.paid(), nobody.requests().len()),
            (vec![r#"{"cents": 20}"#.to_owned()], 0),
            "cut {cut}"
        );
    }
}

#[tokio::test]
async fn the_model_does_not_read_a_secret_of_the_change() {
    let (pay, human) =
        (Pay::new(), Answers::new([edit(r#"{"cents": 20, "to": "s3cr3t-value"}"#), ApproverReply::Approve]));
    let redactor = Redactor::new(["s3cr3t-value".into()]);
    let journal = Shared::default();
    let agent = agent(&pay, &human).copy_builder().redactor(redactor).build().unwrap();
    let options = RunOptions::default().with_journal(journal.clone());
    let report = agent.run_with("Pay.", options).await.unwrap();
    assert!(pay.paid()[0].contains("s3cr3t-value"));
    let text = result(&report).wire_text();
    assert!(
        text.contains("The human changed the arguments of this call.") && !text.contains("s3cr3t"),
        "{text}"
    );
    assert!(journal.records().unwrap().iter().all(|record| !record.body.as_str().contains("s3cr3t")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    // No sequence of changes and approvals runs a call that policy denies.
    #[test]
    fn no_sequence_of_changes_runs_a_denied_call(
        replies in prop::collection::vec(prop_oneof![
            3 => (-5i64..200).prop_map(|cents| edit(&format!(r#"{{"cents": {cents}}}"#))),
            1 => (-5i64..200).prop_map(|cents| edit(&format!(r#"{{"cents": "{cents}"}}"#))),
            2 => Just(ApproverReply::Approve),
            1 => Just(ApproverReply::Remember),
        ], 0..10),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (paid, result, asked) = runtime.block_on(run(replies.clone()));
        prop_assert!(paid.len() <= 1);
        for text in &paid {
            let cents = arguments(text).get("cents").unwrap().as_i64().unwrap();
            prop_assert!(cents <= 100, "{text} ran after {replies:?}");
        }
        prop_assert!(asked <= replies.len() + 1);
        prop_assert_eq!(result.status.is_ok(), paid.len() == 1);
    }
}
