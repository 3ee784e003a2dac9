//! The conformance kit: it accepts correct functions, and rejects a wrong one for each rule.

use std::sync::atomic::{AtomicBool, Ordering};

use windlass_hitl::kit::{PolicyCodeRule, check_policy_check, check_policy_permit};
use windlass_hitl::{Objection, PolicyInput};
use windlass_protocol::{Arguments, CallId, Effect, Hints, Payload, ToolCall, ToolName};

fn facts(tool: &str) -> PolicyInput {
    let name = ToolName::new(tool).unwrap();
    let call = ToolCall::function(CallId::new("call_1").unwrap(), name, Arguments::default());
    PolicyInput::new(call.name.clone(), Hints::default(), &call, vec![Effect::Unknown])
}

fn is_payment(facts: &PolicyInput) -> bool {
    facts.tool.as_str() == "pay"
}

#[track_caller]
fn check(check: impl Fn(&PolicyInput) -> Option<Objection>, expected: Option<PolicyCodeRule>) {
    let result = check_policy_check(check, &[facts("pay")], &[facts("look")]);
    assert_eq!(result.err().map(|violation| violation.rule), expected);
}

#[track_caller]
fn check_permit(permit: impl Fn(&PolicyInput) -> bool, expected: Option<PolicyCodeRule>) {
    let result = check_policy_permit(permit, &[facts("look")], &[facts("pay")]);
    assert_eq!(result.err().map(|violation| violation.rule), expected);
}

#[test]
fn a_correct_check_and_a_correct_permission_pass() {
    check(|facts| is_payment(facts).then(|| Objection::deny("it is a payment")), None);
    check_permit(|facts| facts.tool.as_str() == "look", None);
}

#[test]
fn a_check_with_a_defect_is_rejected() {
    let panics = |facts: &PolicyInput| match &facts.payload {
        Payload::Function { arguments } => {
            let cents = arguments.get("cents").map(|cents| cents.as_u64().unwrap());
            (cents > Some(4_000)).then(|| Objection::ask("much"))
        }
        _ => None,
    };
    check(panics, Some(PolicyCodeRule::NeverPanics));
    let was_asked = AtomicBool::new(false);
    let alternates =
        |_: &PolicyInput| was_asked.fetch_xor(true, Ordering::Relaxed).then(|| Objection::ask("why"));
    check(alternates, Some(PolicyCodeRule::RepeatsAnswers));
    check(|_| Some(Objection::ask(" ")), Some(PolicyCodeRule::ExplainsObjections));
    check(|_| None, Some(PolicyCodeRule::AppliesToTheExamples));
    check(|_| Some(Objection::ask("everything")), Some(PolicyCodeRule::SparesTheOthers));
}

#[test]
fn a_permission_with_a_defect_is_rejected() {
    check_permit(|_| true, Some(PolicyCodeRule::PermitsNoStrangers));
    check_permit(|_| false, Some(PolicyCodeRule::AppliesToTheExamples));
    check_permit(
        |facts| ["look", "pay"].contains(&facts.tool.as_str()),
        Some(PolicyCodeRule::SparesTheOthers),
    );
}
