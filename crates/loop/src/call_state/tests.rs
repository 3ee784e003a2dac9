//! Tests of the transitions of a call.

use windlass_hitl::{ApprovalHistory, ApprovalRequest, Binding, Grants, Policy, PolicyInput, decide};
use windlass_protocol::{
    Arguments, CallId, Control, Hints, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec,
};

use super::{Call, WrongState};

fn tool_call() -> ToolCall {
    let (id, name) = (CallId::new("c").unwrap(), ToolName::new("edit").unwrap());
    ToolCall::function(id, name, Arguments::default())
}

fn request() -> Box<ApprovalRequest> {
    let call = tool_call();
    let facts = PolicyInput::new(call.name.clone(), Hints::default(), &call, vec![]);
    let spec = ToolSpec::function(call.name.clone(), "", "{}".parse().unwrap());
    let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    Box::new(ApprovalRequest::new("r", call, &facts, &decision, digest))
}

fn result() -> ToolResult {
    ToolResult::text(tool_call().id, ResultStatus::Ok, "done")
}

type Change = fn(&mut Call) -> Result<(), WrongState>;

/// All transitions by name.
const TRANSITIONS: &[(&str, Change)] = &[
    ("adopt", Call::adopt),
    ("ask", Call::ask),
    ("collect", Call::collect),
    ("defer", Call::defer),
    ("end", |call| call.end(result())),
    ("hold", Call::hold),
    ("decide", Call::await_decision),
    ("mark_running", Call::mark_running),
    ("postpone", |call| call.postpone("r".into())),
    ("queue_approval", |call| call.queue_approval(request())),
    ("reconcile", Call::reconcile),
    ("run", Call::run),
];

fn change_of(name: &str) -> Change {
    TRANSITIONS.iter().find(|(other, _)| *other == name).unwrap().1
}

/// A call after these transitions, all of which are permitted.
fn call_after(names: &str) -> Call {
    let mut names = names.split_whitespace();
    let mut call = match names.next() {
        Some("speculative") => Call::new_speculative(tool_call(), Control::None, false),
        _ => Call::new(tool_call(), Control::None),
    };
    for name in names {
        assert_eq!(change_of(name)(&mut call), Ok(()), "{name}");
    }
    call
}

#[test]
fn each_state_permits_its_transitions_and_no_others() {
    let states = [
        ("speculative", "adopt end hold decide mark_running"),
        ("speculative mark_running", "adopt end hold decide mark_running"),
        ("held", "collect end decide reconcile"),
        ("held reconcile", "end hold"),
        ("held decide", "ask end queue_approval run"),
        ("held decide queue_approval", "ask end"),
        ("held decide ask", "end postpone run"),
        ("held decide ask postpone", "end"),
        ("held decide run", "defer end"),
        ("held collect", "defer end"),
        ("speculative adopt", "defer end"),
        ("held decide run defer", "end"),
        ("held end", ""),
    ];
    for (path, expected) in states {
        let permitted: Vec<_> = TRANSITIONS
            .iter()
            .filter(|(_, change)| change(&mut call_after(path)).is_ok())
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(permitted.join(" "), expected, "after {path}");
    }
}

#[test]
fn a_refused_transition_changes_nothing() {
    let mut call = call_after("held decide run");
    assert_eq!(call.await_decision(), Err(WrongState));
    assert!(call.is_running());
}

#[test]
fn a_call_keeps_its_first_result() {
    let mut call = call_after("held decide run end");
    let second = ToolResult::text(tool_call().id, ResultStatus::Error, "again");
    assert_eq!(call.end(second), Err(WrongState));
    assert_eq!(call.result(), Some(&result()));
}

#[test]
fn a_stop_ends_every_call_that_does_not_run() {
    let statuses = [
        ("speculative", None),
        ("held", Some(ResultStatus::Cancelled)),
        ("held reconcile", Some(ResultStatus::EffectsUnknown)),
        ("held decide", Some(ResultStatus::Cancelled)),
        ("held decide queue_approval", Some(ResultStatus::Cancelled)),
        ("held decide ask", Some(ResultStatus::Cancelled)),
        ("held decide ask postpone", Some(ResultStatus::Cancelled)),
        ("held decide run", None),
        ("held decide run defer", Some(ResultStatus::EffectsUnknown)),
        ("held end", None),
    ];
    for (path, expected) in statuses {
        let status = call_after(path).result_on_stop().map(|result| result.status);
        assert_eq!(status, expected, "after {path}");
    }
}
