//! Calls that run while their answer still streams (L6).

use windlass_hitl::{ApprovalHistory, Decision, Grants, Policy, PolicyInput, Rule, RuleFile, Source, decide};
use windlass_loop::{CallDecision, Command, Entry, Input, SpeculativeOutcome, StreamFailure};
use windlass_protocol::ResultStatus::{Cancelled, Denied, Error, Ok as Fine};
use windlass_protocol::{CallId, Effect, Hints, ResultStatus, StopReason, ToolCall, ToolResult};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, check_paired, config, early, entries, finish};

/// Returns the driver's decision to run a call.
fn decided(call: &ToolCall) -> (Box<PolicyInput>, Decision) {
    let facts = PolicyInput::new(call.name.clone(), Hints::read_only(), call, vec![Effect::Internal]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    (Box::new(facts), decision)
}

fn ran(answer: u64, call: &ToolCall, status: ResultStatus) -> Input {
    let (facts, decision) = decided(call);
    let result = ToolResult::text(call.id.clone(), status, "read");
    let outcome = Box::new(SpeculativeOutcome::Ran { facts, decision, result });
    Input::Speculative { answer, call: call.id.clone(), outcome }
}

fn id(id: &str) -> CallId {
    CallId::new(id).unwrap()
}

impl Driven {
    fn chunks(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        self.effects.clear();
        for chunk in chunks {
            self.step(Input::Chunk(chunk));
        }
    }

    fn end(&mut self) {
        self.step(Input::Chunk(finish(StopReason::Calls)));
        self.step(Input::StreamEnd(Ok(())));
    }

    #[track_caller]
    fn check_ahead(&self, expected: &[&str]) {
        let ids: Vec<_> = self.ahead().into_iter().map(|call| call.id.to_string()).collect();
        assert_eq!(ids, expected);
    }
}

#[test]
fn a_reading_call_begins_before_the_answer_ends_and_its_result_waits_for_the_others() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    run.check_ahead(&["c1"]);
    let first = run.ahead().remove(0);
    run.step(ran(1, &first, Fine));
    // No entry about a call is recorded before the answer is.
    assert!(entries(&run.effects).is_empty(), "{:?}", run.effects);
    run.step(Input::Chunk(call("c2", "change", "{}")));
    run.end();
    let written = entries(&run.effects);
    let at = |wanted: fn(&Entry) -> bool| written.iter().position(wanted).unwrap();
    assert_eq!(at(|entry| matches!(entry, Entry::Answered { .. })), 0, "{written:?}");
    assert!(
        at(|entry| matches!(entry, Entry::Decided { .. }))
            < at(|entry| matches!(entry, Entry::Result { .. }))
    );
    assert_eq!(run.to_decide().len(), 1, "the other is decided when the answer has ended");
    assert_eq!(run.ran(), [""; 0], "and the first does not run again");
    run.decide_all();
    run.approve("c2");
    run.result("c2", Fine);
    assert_eq!(run.statuses(), [("c1".into(), Fine), ("c2".into(), Fine)]);
    assert!(run.is_sent());
    check_paired(run.machine.transcript().messages());
}

#[test]
fn a_result_after_the_end_of_the_answer_is_accepted() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}"), call("c2", "look", r#"{"n":2}"#)]);
    run.check_ahead(&["c1", "c2"]);
    let calls = run.ahead();
    run.step(ran(1, &calls[1], Error));
    run.end();
    assert!(run.to_decide().is_empty() && !run.is_sent());
    run.step(ran(1, &calls[0], Fine));
    assert_eq!(run.statuses(), [("c1".into(), Fine), ("c2".into(), Error)]);
    assert!(run.is_sent());
}

// A call with an effect keeps its place: before later calls, and after earlier ones.
#[test]
fn no_call_starts_after_a_waiting_call() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "change", "{}"), call("c2", "look", "{}")]);
    run.check_ahead(&[]);
    run.end();
    assert_eq!(run.to_decide().len(), 2);
    for (name, arguments) in [("done", r#"{"result":"r"}"#), ("change", "{}"), ("unknown", "{}")] {
        let mut run = Driven::start(early());
        run.chunks([call("c1", name, arguments)]);
        run.check_ahead(&[]);
    }
    let mut run = Driven::start(config());
    run.chunks([call("c1", "look", "{}")]);
    run.check_ahead(&[]);
}

// L4: a call that may be refused as a repetition begins only when its answer is complete.
#[test]
fn a_repeated_call_is_not_started_early() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}"), call("c2", "look", "{}")]);
    run.check_ahead(&["c1"]);
    let first = run.ahead().remove(0);
    run.end();
    run.step(ran(1, &first, Fine));
    run.decide_all();
    run.result("c2", Fine);
    run.chunks([call("c3", "look", "{}")]);
    run.check_ahead(&[]);
}

// P1: a call whose id is already used in the run starts with a new id.
#[test]
fn a_call_with_a_used_id_begins_under_another() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    let first = run.ahead().remove(0);
    run.step(ran(1, &first, Fine));
    run.end();
    run.chunks([call("c1", "look", r#"{"n":1}"#), call("c2", "look", r#"{"n":2}"#)]);
    run.check_ahead(&["call_2_0", "c2"]);
}

// S10: if an answer breaks off, its early calls are discarded with it.
#[test]
fn early_calls_of_a_discarded_answer_are_discarded() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    let first = run.ahead().remove(0);
    run.step(Input::StreamEnd(Err(StreamFailure::new("gone", true))));
    assert!(run.effects.contains(&Command::AbandonSpeculative { answer: 1 }), "{:?}", run.effects);
    run.chunks([call("c1", "look", r#"{"other":true}"#)]);
    run.check_ahead(&["c1"]);
    // A late result of a call of the discarded answer is ignored.
    run.step(ran(1, &first, Error));
    let again = run.ahead().remove(0);
    run.end();
    run.step(ran(1, &first, Error));
    assert!(!run.is_sent());
    run.step(ran(2, &again, Fine));
    assert_eq!(run.statuses(), [("c1".into(), Fine)]);
}

#[test]
fn a_call_that_policy_does_not_allow_early_is_asked_about_later() {
    let ask = |call: &ToolCall| {
        let mut file = RuleFile::default();
        file.rules.push(Rule::new("ask", windlass_hitl::Action::Ask));
        let policy = Policy::default().with_file(Source::User, file).unwrap();
        let facts = PolicyInput::new(call.name.clone(), Hints::read_only(), call, vec![Effect::Internal]);
        let decision = decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts);
        let request = Some(Box::new(crate::driven::request(call, &facts, &decision)));
        CallDecision::Decided { facts: Box::new(facts), decision, request }
    };
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}"), call("c2", "look", r#"{"n":2}"#)]);
    let calls = run.ahead();
    let outcome = Box::new(SpeculativeOutcome::Decided(ask(&calls[0])));
    run.step(Input::Speculative { answer: 1, call: id("c1"), outcome });
    let refused = ToolResult::text(id("c2"), ResultStatus::InvalidArguments, "no");
    let outcome = Box::new(SpeculativeOutcome::Decided(CallDecision::Refused(refused)));
    run.step(Input::Speculative { answer: 1, call: id("c2"), outcome });
    assert!(
        !run.effects.iter().any(|want| matches!(want, Command::Ask(_))),
        "nobody is asked about half an answer"
    );
    run.end();
    assert!(run.effects.iter().any(|want| matches!(want, Command::Ask(_))));
    run.approve("c1");
    assert_eq!(run.ran(), ["c1"]);
    run.result("c1", Fine);
    let statuses = [("c1".into(), Fine), ("c2".into(), ResultStatus::InvalidArguments)];
    assert_eq!(run.statuses(), statuses);
}

// L7, H16
#[test]
fn a_stop_still_gives_each_call_its_result() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}"), call("c2", "look", r#"{"n":2}"#)]);
    let calls = run.ahead();
    run.end();
    run.step(Input::Cancel);
    assert!(run.outcome().is_none(), "what runs is waited for");
    run.step(ran(1, &calls[0], Cancelled));
    let (facts, decision) = decided(&calls[1]);
    let outcome =
        Box::new(SpeculativeOutcome::Decided(CallDecision::Decided { facts, decision, request: None }));
    run.step(Input::Speculative { answer: 1, call: id("c2"), outcome });
    assert_eq!(run.statuses(), [("c1".into(), Cancelled), ("c2".into(), Cancelled)]);
    assert!(run.outcome().is_some());
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    run.step(Input::Cancel);
    assert!(run.effects.contains(&Command::AbandonSpeculative { answer: 1 }));
    check_paired(run.machine.transcript().messages());
}

#[test]
fn a_fatal_error_ends_the_run_when_the_answer_has_ended() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    let first = run.ahead().remove(0);
    let (facts, decision) = decided(&first);
    let outcome = Box::new(SpeculativeOutcome::Fatal { facts, decision, message: "no disk".into() });
    run.step(Input::Speculative { answer: 1, call: id("c1"), outcome });
    run.step(Input::Chunk(call("c2", "change", "{}")));
    assert!(run.outcome().is_none());
    run.end();
    assert_eq!(run.statuses(), [("c1".into(), Error), ("c2".into(), Cancelled)]);
    assert!(run.outcome().is_some());
    assert!(!run.statuses().iter().any(|(_, status)| *status == Denied));
}

// Correctness 28: after a stop, no further call starts (L7, H16).
#[test]
fn a_call_not_started_speculatively_is_not_started_after_a_cancel() {
    let mut run = Driven::start(early());
    run.chunks([call("c1", "look", "{}")]);
    run.end();
    run.effects.clear();
    run.step(Input::Cancel);
    run.step(Input::Speculative {
        answer: 1,
        call: id("c1"),
        outcome: Box::new(SpeculativeOutcome::NotBegun),
    });
    assert!(run.to_decide().is_empty());
    assert_eq!(run.statuses(), [("c1".to_owned(), Cancelled)]);
    assert!(run.outcome().is_some());
}
