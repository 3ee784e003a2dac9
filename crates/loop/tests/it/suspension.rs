//! Runs that wait without a process, and the effect of files and answers when they resume.

use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_loop::{
    Budget, CallDecision, Command, Config, DeliverAt, Entry, Event, HookAction, HookPoint, HookReport, Input,
    Machine, Outcome, RunOrigin, StopCause, StreamFailure, Transcript, UnansweredPolicy, UnknownEffects,
    Wait,
};
use windlass_protocol::{
    CallId, Image, Message, Part, PlannedFile, ReconcileOutcome, ResultStatus, Role, ToolCall, ToolProtocol,
};

use crate::driven::{Driven, call, check_paired, config, entries};

fn suspending() -> Config {
    config().with_unanswered(UnansweredPolicy::Suspend)
}

fn id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

fn nobody(run: &mut Driven, call: &str) {
    run.step(Input::Approval(ApprovalOutcome::NoApprover { request_id: format!("ask-{call}") }));
}

fn resumed(config: Config, record: &[Entry]) -> Driven {
    let (machine, effects) = Machine::resume(config, record.to_vec(), 0).unwrap();
    Driven { machine, effects, now: 0 }
}

/// Returns a run that waits for the approval of `b` and `c` after `a` has run, and its record.
fn waiting() -> (Driven, Vec<Entry>) {
    let mut run = Driven::start(suspending());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}"), call("b", "change", "{}"), call("c", "change", r#"{"n":1}"#)]);
    run.decide_all();
    nobody(&mut run, "b");
    assert_eq!(run.outcome(), None, "the question about c is open, and a runs");
    nobody(&mut run, "c");
    assert_eq!(run.outcome(), None, "a runs");
    run.result("a", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    (run, record)
}

// DESIGN "Suspend anywhere": every call that can continue does, and then no call waits in this process.
#[test]
fn a_run_that_waits_for_a_human_is_suspended_when_nothing_else_is_left() {
    let (run, record) = waiting();
    let approval = |call: &str| Wait::Approval { call: id(call), request_id: format!("ask-{call}") };
    let waits = vec![approval("b"), approval("c")];
    assert_eq!(run.outcome(), Some(&Outcome::Suspended { waits }));
    assert!(!record.iter().any(|entry| matches!(entry, Entry::Approval { .. })), "the questions stay open");
    assert!(run.events().contains(&&Event::ApprovalPostponed { request_id: "ask-b".into() }));
}

#[test]
fn without_suspension_an_unanswered_question_is_denied() {
    let mut run = Driven::start(config());
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    nobody(&mut run, "b");
    assert_eq!(run.statuses(), [("b".to_owned(), ResultStatus::Denied)]);
}

// R6: questions can be answered in any order and in any subset, by several processes in turn; the others stay open.
#[test]
fn answers_are_accepted_in_any_order_and_subset() {
    let (_, mut record) = waiting();
    let mut run = resumed(suspending(), &record);
    run.decide_all();
    let asked: Vec<_> = run.effects.iter().filter(|want| matches!(want, Command::Ask(_))).collect();
    assert_eq!(asked.len(), 2, "the same questions under the same ids");
    assert!(
        !entries(&run.effects).iter().any(|entry| matches!(entry, Entry::Asked { .. })),
        "on record once"
    );
    run.approve("c");
    nobody(&mut run, "b");
    run.result("c", ResultStatus::Ok);
    assert!(matches!(run.outcome(), Some(Outcome::Suspended { waits }) if waits.len() == 1));
    record.extend(entries(&run.effects));

    let mut run = resumed(suspending(), &record);
    run.decide_all();
    let no = ApprovalDecision::deny("ask-b", Some("not this one".into()));
    run.step(Input::Approval(ApprovalOutcome::Answered(no)));
    assert!(run.is_sent(), "the model hears of all three");
    let statuses = [
        ("a".to_owned(), ResultStatus::Ok),
        ("b".to_owned(), ResultStatus::Denied),
        ("c".to_owned(), ResultStatus::Ok),
    ];
    assert_eq!(run.statuses(), statuses);
    assert!(run.texts_of_results().contains("not this one"));
    check_paired(run.machine.transcript().messages());
}

/// The record of a run that was cut off while a call that was approved ran.
fn approved() -> Vec<Entry> {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    record.extend(entries(&run.effects));
    record
}

// SECURITY "Journal": a recorded approval stays valid for the same hash, and policy decides again.
#[test]
fn a_recorded_approval_survives_a_crash_and_is_not_requested_again() {
    let record = approved();
    let cut = record.iter().position(|entry| matches!(entry, Entry::Intent { .. })).unwrap();
    let mut run = resumed(config(), &record[..cut]);
    run.decide_all();
    assert_eq!(run.ran(), ["b"]);
    assert!(!run.effects.iter().any(|want| matches!(want, Command::Ask(_))));
}

#[test]
fn an_approval_of_another_digest_does_not_count() {
    let mut record = approved();
    for entry in &mut record {
        if let Entry::Asked { request } = entry {
            let text = serde_json::to_string(&request.digest).unwrap();
            let other = text.replace(|digit: char| digit.is_ascii_hexdigit(), "0");
            request.digest = serde_json::from_str(&other).unwrap();
        }
    }
    let cut = record.iter().position(|entry| matches!(entry, Entry::Intent { .. })).unwrap();
    let mut run = resumed(config(), &record[..cut]);
    run.decide_all();
    assert!(run.ran().is_empty());
    assert!(run.effects.iter().any(|want| matches!(want, Command::Ask(_))));
}

/// A run that was cut off while a call that changes `a.txt` ran.
fn cut_off() -> Vec<Entry> {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("b", "change", "{}")]);
    let planned = PlannedFile::new("a.txt", Some("before".into()), Some("after".into()));
    for call in run.to_decide() {
        decide_planned(&mut run, &call, &planned);
    }
    run.approve("b");
    record.extend(entries(&run.effects));
    record
}

fn decide_planned(run: &mut Driven, call: &ToolCall, planned: &PlannedFile) {
    let from = run.effects.len();
    run.decide_call(call);
    // Repeat the decision with the plan, because the facts of this driver have none.
    for want in &mut run.effects[from..] {
        if let Command::Record(Entry::Decided { facts: Some(facts), .. }) = want {
            facts.planned = vec![planned.clone()];
        }
    }
}

// SECURITY "Journal": file effects happen exactly once, and the files prove it.
#[test]
fn file_reconciliation_sets_the_result_of_an_interrupted_call() {
    #[track_caller]
    fn check(aftermath: ReconcileOutcome, status: ResultStatus, says: &str) {
        let mut run = resumed(config(), &cut_off());
        let planned = PlannedFile::new("a.txt", Some("before".into()), Some("after".into()));
        assert!(run.effects.iter().any(
            |want| matches!(want, Command::Reconcile { call, planned: files } if call.id == id("b") && *files == [planned.clone()])
        ));
        run.step(Input::Reconciled { call: id("b"), outcome: aftermath });
        assert_eq!(run.statuses(), [("b".to_owned(), status)]);
        assert!(run.texts_of_results().contains(says), "{}", run.texts_of_results());
        assert!(run.is_sent());
    }
    check(ReconcileOutcome::Done, ResultStatus::Ok, "The change was made");
    check(ReconcileOutcome::Unknown, ResultStatus::EffectsUnknown, "effects are not known");
    let partly = ReconcileOutcome::Partly { done: vec!["x".into()], open: vec!["y".into()] };
    check(partly, ResultStatus::EffectsUnknown, "had changed x and not yet y");
    let changed = ReconcileOutcome::Changed { paths: vec!["x".into()] };
    check(changed, ResultStatus::EffectsUnknown, "another program has changed x");
}

#[test]
fn an_unstarted_call_is_decided_again_and_keeps_its_approval() {
    let mut run = resumed(config(), &cut_off());
    run.step(Input::Reconciled { call: id("b"), outcome: ReconcileOutcome::NotBegun });
    run.decide_all();
    assert_eq!(run.ran(), ["b"]);
    // A late or repeated `Reconciled` input changes nothing.
    run.step(Input::Reconciled { call: id("b"), outcome: ReconcileOutcome::Done });
    run.result("b", ResultStatus::Ok);
    assert!(run.is_sent());
}

#[test]
fn a_cancelled_run_reports_an_interrupted_call_as_unknown() {
    let mut run = resumed(config(), &cut_off());
    run.step(Input::Cancel);
    assert_eq!(run.statuses(), [("b".to_owned(), ResultStatus::EffectsUnknown)]);
    assert_eq!(run.outcome(), Some(&Outcome::Stopped { cause: StopCause::Cancelled }));
}

// A call that continues elsewhere needs no process.
#[test]
fn a_deferred_call_suspends_the_run_until_its_result_arrives() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}"), call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    run.step(Input::Deferred(id("b")));
    run.result("a", ResultStatus::Ok);
    let waits = vec![Wait::Result { call: id("b") }];
    assert_eq!(run.outcome(), Some(&Outcome::Suspended { waits: waits.clone() }));
    record.extend(entries(&run.effects));

    let mut run = resumed(config(), &record);
    assert!(run.effects.iter().any(|want| matches!(want, Command::Collect(call) if call.id == id("b"))));
    run.step(Input::Deferred(id("b")));
    assert_eq!(run.outcome(), Some(&Outcome::Suspended { waits }));
    record.extend(entries(&run.effects));

    let mut run = resumed(config(), &record);
    run.result("b", ResultStatus::Ok);
    assert!(run.is_sent());
    assert_eq!(run.statuses()[1], ("b".to_owned(), ResultStatus::Ok));
}

#[test]
fn a_result_received_while_other_calls_run_counts_at_once() {
    let mut run = Driven::start(config());
    run.answer([call("a", "look", "{}"), call("b", "change", "{}")]);
    run.decide_all();
    run.approve("b");
    run.step(Input::Deferred(id("b")));
    run.result("b", ResultStatus::Ok);
    run.result("a", ResultStatus::Ok);
    assert!(run.is_sent());
}

// H10: usage is not forgotten when the process ends.
#[test]
fn a_budget_that_is_used_suspends_and_is_still_used_in_another_process() {
    let budget = Budget { requests: 1, ..Budget::default() };
    let set_up = || suspending().with_budget(budget.clone());
    let mut run = Driven::start(set_up());
    let mut record = entries(&run.effects);
    run.answer([call("a", "look", "{}")]);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    run.guide(None);
    assert!(
        matches!(run.outcome(), Some(Outcome::Suspended { waits }) if matches!(waits[..], [Wait::InterruptReply { .. }]))
    );
    record.extend(entries(&run.effects));
    let mut run = resumed(set_up(), &record);
    assert!(!run.is_sent(), "it asks before it uses more");
    run.guide(Some("yes"));
    assert!(run.is_sent());
    record.extend(entries(&run.effects));
    let run = resumed(set_up(), &record);
    assert!(run.is_sent(), "a yes is on record too");
}

#[test]
fn each_limit_of_a_budget_asks() {
    #[track_caller]
    fn check(budget: Budget, says: &str) {
        let mut run = Driven::start(config().with_budget(budget));
        run.now = 5_000;
        run.answer([
            call("a", "look", "{}"),
            windlass_stream::Chunk::Usage {
                usage: windlass_protocol::Usage { input_tokens: 70, output_tokens: 30, ..Default::default() },
            },
        ]);
        run.decide_all();
        run.result("a", ResultStatus::Ok);
        let question = run
            .effects
            .iter()
            .find_map(
                |want| if let Command::Interrupt { question, .. } = want { Some(question) } else { None },
            )
            .unwrap();
        assert!(question.contains(says), "{question}");
    }
    check(Budget { tokens: 100, ..Budget::default() }, "100 tokens");
    check(Budget { wall_ms: 5_000, ..Budget::default() }, "5 seconds");
    check(Budget { calls: [("look".to_owned(), 1)].into(), ..Budget::default() }, "1 calls of look");
}

#[test]
fn calls_beyond_the_budget_of_their_tool_do_not_begin() {
    let budget = Budget { calls: [("look".to_owned(), 1)].into(), ..Budget::default() };
    let mut run = Driven::start(config().with_budget(budget));
    run.answer([call("a", "look", "{}"), call("b", "look", r#"{"n":1}"#)]);
    run.decide_all();
    run.result("a", ResultStatus::Ok);
    assert_eq!(run.statuses()[1], ("b".to_owned(), ResultStatus::NotStarted));
    assert!(run.effects.iter().any(|want| matches!(want, Command::Interrupt { .. })));
}

// R6: if `UnknownEffects::AskHuman` is set, the human is asked before the model receives the next request.
#[test]
fn a_human_is_asked_about_unknown_effects_if_configured() {
    let record = approved();
    let mut run = resumed(config().with_unknown_effects(UnknownEffects::AskHuman), &record);
    assert!(!run.is_sent());
    assert!(
        run.effects
            .iter()
            .any(|want| matches!(want, Command::Interrupt { question, .. } if question.contains("change")))
    );
    run.guide(Some("it was done by hand"));
    assert!(run.is_sent());
    let told = run.machine.transcript().messages().last().unwrap().text();
    assert_eq!(told, "it was done by hand");
}

#[test]
fn a_refused_call_ignores_a_late_decision() {
    let (mut run, _) = waiting();
    let before = run.effects.len();
    let result = windlass_protocol::ToolResult::text(id("b"), ResultStatus::Ok, "late");
    run.step(Input::Decided { call: id("b"), decision: Box::new(CallDecision::Refused(result)) });
    run.step(Input::Deferred(id("b")));
    assert_eq!(run.effects.len(), before, "the run is over in this process");
}

/// A run that writes every kind of entry.
pub(crate) fn everything() -> Vec<Entry> {
    // The refused attempt, and the first answer.
    let budget = Budget { requests: 2, ..Budget::default() };
    let protocols = [ToolProtocol::Native, ToolProtocol::Text];
    let context = windlass_loop::ContextLimits { keep_result_bytes: 3, ..Default::default() };
    let config = suspending()
        .with_run("run-1")
        .with_origin(Some(RunOrigin::new("explorer", "5b1e", "sub_agent_explorer")))
        .with_context(context)
        .with_budget(budget)
        .with_mode(Some("code".into()))
        .with_protocols(protocols);
    let picture = Part::Image(Image::base64("image/png", "cG5n"));
    let said = Message::new(Role::User, vec![Part::text("said elsewhere"), picture]);
    let history = Transcript::import([said]).transcript;
    let mut machine = Machine::new(config.clone()).with_history(history);
    let effects = machine.step(Input::Start { task: "the task".into() }, 0);
    let mut run = Driven { machine, effects, now: 0 };
    let mut record = entries(&run.effects);
    run.effects.clear();
    run.step(Input::StreamEnd(Err(StreamFailure::new("no tools", false).mark_protocol())));
    record.extend(entries(&run.effects));
    let mut run = resumed(config, &record);
    record.extend(entries(&run.effects));
    run.answer([call("a", "look", "{}"), call("b", "change", "{}"), call("x", "look", "[1]")]);
    let planned = PlannedFile::new("a.txt", None, Some("after".into()));
    for call in run.to_decide() {
        decide_planned(&mut run, &call, &planned);
    }
    run.step(Input::Hook(
        HookReport::new("audit", HookPoint::Call, HookAction::Ask, "look twice").with_call(id("b")),
    ));
    run.approve("b");
    run.step(Input::Deferred(id("b")));
    run.step(Input::Say {
        id: Some("say-1".into()),
        text: "be brief".into(),
        parts: Vec::new(),
        when: DeliverAt::NextTurn,
    });
    run.result("b", ResultStatus::Ok);
    let child = windlass_loop::BudgetUsage { requests: 1, tokens: 10, cost: 0 };
    run.step(Input::Shared { used: [("run-1/z".to_owned(), child)].into(), grants: 0 });
    run.result("a", ResultStatus::Ok);
    run.guide(Some("go on, quickly"));
    run.step(Input::StreamEnd(Err(StreamFailure::new("no image", false).mark_image())));
    run.step(Input::StreamEnd(Err(StreamFailure::new("too long", false).mark_length())));
    record.extend(entries(&run.effects));
    run.answer([call("c", "done", r#"{"result":"r"}"#)]);
    run.decide_all();
    run.result("c", ResultStatus::Ok);
    record.extend(entries(&run.effects));
    record
}

// The fields that a window shows are flat beside the question, and are serialized as JSON.
#[test]
fn an_approval_event_contains_the_fields_for_a_ui() {
    let mut run = Driven::start(config());
    run.answer([call("b", "change", r#"{"path":"a.txt"}"#)]);
    run.decide_all();
    let asked =
        run.events().into_iter().find(|event| matches!(event, Event::ToolApprovalRequest { .. })).unwrap();
    let json = serde_json::to_value(asked).unwrap();
    assert_eq!(json["request_id"], "ask-b");
    assert_eq!(json["tool_name"], "change");
    assert_eq!(json["args"]["path"], "a.txt");
    assert_eq!(json["risk_level"], json["request"]["risk"]);
    assert_eq!(json["can_learn"], true);
    assert_eq!(serde_json::from_value::<Event>(json).unwrap(), *asked);
}
