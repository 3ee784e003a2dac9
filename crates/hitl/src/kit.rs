//! Conformance of the code of a policy: checks and permissions.

mod rule;
mod samples;

use windlass_protocol::kit::RuleViolation;

use crate::{Objection, PolicyInput};

pub use rule::PolicyCodeRule;

type RuleResult = Result<(), RuleViolation<PolicyCodeRule>>;

/// Checks the function of [`Policy::with_check`](crate::Policy::with_check) with calls to which it objects, and with calls
/// that it accepts. The kit adds calls with every kind of effect and payload, of a tool that no program has.
///
/// ```
/// use windlass_hitl::kit::check_policy_check;
/// use windlass_hitl::{PolicyInput, Objection};
/// # use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
/// # fn facts(tool: &str) -> Result<PolicyInput, Box<dyn std::error::Error>> {
/// #     let call = ToolCall::function(CallId::new("call_1")?, ToolName::new(tool)?, Arguments::default());
/// #     Ok(PolicyInput::new(call.name.clone(), Hints::default(), &call, vec![Effect::Unknown]))
/// # }
///
/// let no_payments = |facts: &PolicyInput| (facts.tool.as_str() == "pay").then(|| Objection::ask("it is a payment"));
/// check_policy_check(no_payments, &[facts("pay")?], &[facts("look")?])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the first rule that the function does not follow.
pub fn check_policy_check(
    check: impl Fn(&PolicyInput) -> Option<Objection>,
    objected: &[PolicyInput],
    accepted: &[PolicyInput],
) -> RuleResult {
    let samples = samples::every_kind();
    let objects = |facts: &PolicyInput| {
        let objection = repeat(&check, facts)?;
        match objection.as_ref().filter(|objection| objection.text().trim().is_empty()) {
            Some(_) => Err(violation(PolicyCodeRule::ExplainsObjections, facts, "the text is empty")),
            None => Ok(objection.is_some()),
        }
    };
    for facts in &samples {
        objects(facts)?;
    }
    check_examples(objects, objected, accepted)
}

/// Checks the function of [`Policy::with_permit`](crate::Policy::with_permit) with calls that it permits, and with calls
/// that it leaves to the rules. The kit adds the calls of [`check_policy_check`], which a permission must not allow.
///
/// # Errors
/// Returns the first rule that the function does not follow.
pub fn check_policy_permit(
    permit: impl Fn(&PolicyInput) -> bool,
    permitted: &[PolicyInput],
    others: &[PolicyInput],
) -> RuleResult {
    let permits = |facts: &PolicyInput| repeat(&permit, facts);
    for facts in &samples::every_kind() {
        if permits(facts)? {
            return Err(violation(PolicyCodeRule::PermitsNoStrangers, facts, "it is permitted"));
        }
    }
    check_examples(permits, permitted, others)
}

/// Calls a function twice with the same facts.
fn repeat<A: PartialEq>(
    function: &impl Fn(&PolicyInput) -> A,
    facts: &PolicyInput,
) -> Result<A, RuleViolation<PolicyCodeRule>> {
    let call = || RuleViolation::catch(PolicyCodeRule::NeverPanics, "the function", || function(facts));
    let answer = call()?;
    if call()? == answer {
        Ok(answer)
    } else {
        Err(violation(PolicyCodeRule::RepeatsAnswers, facts, "the second answer differs"))
    }
}

fn check_examples(
    applies: impl Fn(&PolicyInput) -> Result<bool, RuleViolation<PolicyCodeRule>>,
    matching: &[PolicyInput],
    others: &[PolicyInput],
) -> RuleResult {
    for facts in matching {
        if !applies(facts)? {
            return Err(violation(
                PolicyCodeRule::AppliesToTheExamples,
                facts,
                "the function returned nothing",
            ));
        }
    }
    for facts in others {
        if applies(facts)? {
            return Err(violation(PolicyCodeRule::SparesTheOthers, facts, "the function applies to it"));
        }
    }
    Ok(())
}

/// Returns a violation that names the call.
fn violation(rule: PolicyCodeRule, facts: &PolicyInput, problem: &str) -> RuleViolation<PolicyCodeRule> {
    let effects: Vec<&str> = facts.effects.iter().map(windlass_protocol::Effect::kind).collect();
    RuleViolation::new(rule, format!("a call of {} with the effects {effects:?}: {problem}", facts.tool))
}
