//! Decision about a call, as a pure and total function.

mod allow;
mod ask;
mod earlier;
mod rules;

use windlass_protocol::{Risk, ToolName};

use self::allow::permission;
use self::ask::demand;
use self::earlier::{check_grants, check_history};
use self::rules::{breaches, quote_reason, rules};
use crate::autonomy::{decide_by_autonomy, read_only};
use crate::burden::{too_many_comparisons, too_many_effects};
use crate::floor::floor;
use crate::part::{Origin, Part, parts};
use crate::policy::{Breach, CompiledRule};
use crate::validity::invalid;
use crate::{
    Action, ApprovalHistory, Decision, Grants, Policy, PolicyInput, Reason, Stage, TraceEntry, Verdict,
};

/// Decides whether a call may run.
///
/// The call is split into parts: its effects, the targets of links in their paths, and the files that the
/// words of its commands read and write. Each part passes these stages in order, and the first stage with a
/// verdict decides about it: validity, the floor, deny rules, constraints, must-ask and ask rules, allow
/// rules, session grants, learned approvals, the default of the autonomy (RULES H2, SECURITY "Policy
/// engine"). Within a stage the lowest rule id wins, so the order of rules does not matter. The most severe
/// part decides about the call, and a check in code decides about the call as a whole.
///
/// ```
/// use windlass_hitl::{PolicyInput, Grants, ApprovalHistory, Policy, Verdict, decide};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("write_file")?, Arguments::default());
/// let decide_write = |path: &str| {
///     let effects = vec![Effect::Write { path: path.into(), bytes: None }];
///     let facts = PolicyInput::new(call.name.clone(), Hints::default(), &call, effects);
///     decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts)
/// };
/// assert_eq!(decide_write("src/lib.rs").verdict, Verdict::Ask);
/// let outside = decide_write("../../etc/passwd");
/// assert_eq!((outside.verdict, outside.reason.rule_id.as_str()), (Verdict::Deny, "f.outside_write"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(policy: &Policy, grants: &Grants, history: &ApprovalHistory, facts: &PolicyInput) -> Decision {
    if let Some(reason) = too_many_effects(&facts.effects) {
        return refusal(facts, reason, facts.hints.risk.max(Risk::High));
    }
    let policy = &*policy.for_payload(Some(&facts.payload));
    let parts = parts(facts);
    let risk = facts.risk_of_parts(&parts);
    if let Some(reason) = too_many_comparisons(policy, &parts) {
        return refusal(facts, reason, risk);
    }
    let permitted = policy.find_permit(facts);
    let granted = check_grants(grants, facts, risk);
    let known = granted.clone().or_else(|| check_history(history, facts, risk));
    let earlier = EarlierAnswers { permitted, granted, known };
    let mut trace: Vec<TraceEntry> = policy.objections(facts);
    let mut below: Option<TraceEntry> = None;
    for part in &parts {
        let entry = decide_part(policy, &earlier, facts, part);
        if part.origin != Origin::Below {
            trace.extend(below.take());
            trace.push(entry);
        } else if below.as_ref().is_none_or(|worst| entry.is_worse_than(worst)) {
            // The trace of a removed folder keeps only its most severe name, so that a record stays small.
            below = Some(entry);
        }
    }
    trace.extend(below);
    Decision::from_trace(trace, risk).deny_if_headless(facts.autonomy)
}

/// Returns the denial of a call that exceeds the limits of a decision.
fn refusal(facts: &PolicyInput, reason: Reason, risk: Risk) -> Decision {
    let about = format!("{} as a whole", facts.tool);
    Decision::from_trace(vec![TraceEntry::new(Stage::Validity, Verdict::Deny, reason, about)], risk)
        .deny_if_headless(facts.autonomy)
}

/// Permissions of a call as a whole.
struct EarlierAnswers {
    /// A permission in code.
    permitted: Option<TraceEntry>,
    /// A grant for the session.
    granted: Option<TraceEntry>,
    /// A grant for the session, or a learned approval.
    known: Option<TraceEntry>,
}

fn decide_part(
    policy: &Policy,
    earlier: &EarlierAnswers,
    facts: &PolicyInput,
    part: &Part<'_>,
) -> TraceEntry {
    let about = |entry: &TraceEntry| TraceEntry { about: part.describe(), ..entry.clone() };
    denial(policy, &facts.tool, part)
        .or_else(|| {
            read_only(facts, part).map(|reason| part.to_entry(Stage::Constraints, Verdict::Deny, reason))
        })
        .or_else(|| demand(policy, facts, part).map(|asked| answer_whole_text(asked, earlier, about)))
        .or_else(|| permission(policy, facts, part))
        .or_else(|| earlier.permitted.as_ref().map(about))
        .or_else(|| earlier.known.as_ref().map(about))
        .unwrap_or_else(|| decide_by_autonomy(facts, part))
}

/// Answers the question about the text of a command with the grant for exactly this call. Rules, permissions in code and
/// learned approvals do not answer it.
fn answer_whole_text(
    asked: TraceEntry,
    earlier: &EarlierAnswers,
    about: impl Fn(&TraceEntry) -> TraceEntry,
) -> TraceEntry {
    let granted = earlier.granted.as_ref().filter(|_| asked.reason.is_about_whole_text());
    granted.map(about).unwrap_or(asked)
}

/// Runs the stages up to the constraints. Their denials cannot be lifted by a later stage.
pub(crate) fn denial(policy: &Policy, tool: &ToolName, part: &Part<'_>) -> Option<TraceEntry> {
    // Skip the validity of words of a command, which are possibly not paths, and of names that were found on
    // the disk, which exist whatever they are called.
    let is_path = !matches!(part.origin, Origin::Command | Origin::Below);
    if let Some(reason) = Some(part).filter(|_| is_path).and_then(invalid) {
        return Some(part.to_entry(Stage::Validity, Verdict::Deny, reason));
    }
    if let Some(reason) = floor(policy, part) {
        return Some(part.to_entry(Stage::Floor, Verdict::Deny, reason));
    }
    let denies = |rule: &&CompiledRule| rule.is_certain(part);
    if let Some(rule) =
        rules(policy, Action::Deny, tool, part).filter(denies).min_by_key(|rule| &rule.rule.id)
    {
        return Some(part.to_entry(
            Stage::DenyRules,
            Verdict::Deny,
            quote_reason(rule, "a rule denies this"),
        ));
    }
    breaches(policy, part)
        .filter_map(|(id, source, breach)| match breach {
            Breach::Broken(text) => Some(Reason::new(id, source, text)),
            Breach::Unclear(_) => None,
        })
        .min_by(|left, right| left.rule_id.cmp(&right.rule_id))
        .map(|reason| part.to_entry(Stage::Constraints, Verdict::Deny, reason))
}
