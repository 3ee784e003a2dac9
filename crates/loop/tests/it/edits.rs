//! Approvals with changed arguments, and hooks, tested in the machine without an agent.

use windlass_hitl::{
    ApprovalDecision, ApprovalHistory, ApprovalOutcome, ApprovalRequest, Binding, Grants, Policy,
    PolicyInput, decide,
};
use windlass_loop::{
    CallDecision, Command, Entry, Event, HookAction, HookPoint, HookReport, Input, Machine, StreamFailure,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, ResultStatus, Role, ToolCall, ToolName, ToolSpec};
use windlass_stream::Chunk;

use crate::driven::{Driven, call, check_paired, config, entries};

fn id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

/// Decides about a change of the file that the arguments name; `number` makes the question unique.
fn decide_about(run: &mut Driven, call: &ToolCall, number: u32) {
    let path = call.arguments().and_then(|own| own.get("path")).and_then(|path| path.as_str());
    let effects = vec![Effect::Write { path: path.unwrap_or("a.txt").into(), bytes: None }];
    let facts = PolicyInput::new(call.name.clone(), Hints::default(), call, effects);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let spec = ToolSpec::function(ToolName::new("change").unwrap(), "", "{}".parse().unwrap());
    let digest = Binding { facts: &facts, call, spec: &spec, root: "/", epoch: "" }.digest();
    let request = ApprovalRequest::new(format!("ask-{number}"), call.clone(), &facts, &decision, digest);
    let decision =
        CallDecision::Decided { facts: Box::new(facts), decision, request: Some(Box::new(request)) };
    run.step(Input::Decided { call: call.id.clone(), decision: Box::new(decision) });
}

fn edit(run: &mut Driven, number: u32, arguments: &str) {
    let decision = ApprovalDecision::approve(format!("ask-{number}"));
    let decision = decision.with_arguments(Arguments::parse(arguments).unwrap());
    run.step(Input::Approval(ApprovalOutcome::Answered(decision)));
}

fn asking() -> Driven {
    let mut run = Driven::start(config());
    run.answer([call("b", "change", "{}")]);
    let call = run.to_decide().remove(0);
    decide_about(&mut run, &call, 1);
    run
}

#[test]
fn an_edited_call_is_decided_again_under_a_separate_step() {
    let mut run = asking();
    run.effects.clear();
    edit(&mut run, 1, r#"{"path":"b.txt"}"#);
    assert!(run.ran().is_empty(), "policy has not seen the change");
    let decide = run.effects.iter().find(|command| matches!(command, Command::Decide(_))).unwrap().clone();
    assert_eq!(run.machine.step_of(&decide).unwrap().key, "judge-b-edit-1");
    let Command::Decide(changed) = decide else { unreachable!() };
    assert_eq!(changed.arguments().unwrap().as_str(), r#"{"path":"b.txt"}"#);
    decide_about(&mut run, &changed, 2);
    assert_eq!(run.ran(), ["b"]);
    let record = entries(&run.effects);
    assert!(record.iter().any(|entry| matches!(entry, Entry::Asked { request } if request.call == changed)));
    run.result("b", ResultStatus::Ok);
    assert!(run.texts_of_results().contains("The human changed the arguments"));
}

#[test]
fn a_change_outside_of_the_workspace_stays_denied() {
    let mut run = asking();
    edit(&mut run, 1, r#"{"path":"../../etc/passwd"}"#);
    let changed = run.to_decide().pop().unwrap();
    decide_about(&mut run, &changed, 2);
    assert!(run.ran().is_empty());
    assert!(run.texts_of_results().contains("f.outside_write"));
}

#[test]
fn an_unchanged_edit_is_an_approval_and_a_late_one_is_refused() {
    let mut run = asking();
    edit(&mut run, 1, "{ }");
    assert_eq!(run.ran(), ["b"]);
    edit(&mut run, 1, r#"{"path":"b.txt"}"#);
    assert!(run.events().iter().any(|event| matches!(event, Event::AnswerRefused { .. })));
    assert_eq!(run.ran(), ["b"]);
}

#[test]
fn an_answer_that_a_hook_refuses_is_requested_again_and_not_kept() {
    let mut run = Driven::start(config());
    let mut record = entries(&run.effects);
    run.effects.clear();
    run.step(Input::Chunk(Chunk::text("a secret")));
    run.step(Input::StreamEnd(Err(StreamFailure::new("name no secret", true).mark_hook())));
    assert!(run.is_sent());
    record.extend(entries(&run.effects));
    let messages = run.machine.transcript().messages();
    assert_eq!(messages.len(), 2);
    assert!(
        messages.iter().all(|message| message.role == Role::User && !message.text().contains("a secret"))
    );
    assert!(messages.last().unwrap().text().contains("name no secret"));
    let (machine, _) = Machine::resume(config(), record, 0).unwrap();
    check_paired(machine.transcript().messages());
    assert_eq!(machine.turn(), run.machine.turn());
    let mut run = Driven::start(config());
    run.step(Input::StreamEnd(Err(StreamFailure::new("never", false).mark_hook())));
    let failed = |command: &Command| matches!(command, Command::Done(windlass_loop::Outcome::Failed { message }) if message == "never");
    assert!(run.effects.iter().any(failed));
}

#[test]
fn a_report_of_a_hook_is_recorded_in_every_phase_but_not_before_the_start_or_after_the_end() {
    let report = || HookReport::new("h", HookPoint::Call, HookAction::Rewrite, "{}").with_call(id("b"));
    let mut machine = Machine::new(config());
    assert!(machine.step(Input::Hook(report()), 0).is_empty());
    let mut run = asking();
    run.effects.clear();
    run.step(Input::Hook(report()));
    assert_eq!(entries(&run.effects), [Entry::Hook { report: report() }]);
    run.step(Input::Cancel);
    assert!(run.texts_of_results().contains("The rule h changed the arguments"));
    run.effects.clear();
    run.step(Input::Hook(report()));
    assert!(run.effects.is_empty());
}
