//! Decision about a call, as a pure and total function.

use globset::Candidate;
use windlass_protocol::{Effect, Risk, ToolName};

use crate::autonomy::{decide_by_autonomy, read_only};
use crate::burden::{too_many_comparisons, too_many_effects};
use crate::floor::floor;
use crate::must_ask::must_ask;
use crate::part::{Origin, Part, parts, word_parts};
use crate::policy::{Breach, CompiledRule};
use crate::reading::hindrance;
use crate::risk::risk_of;
use crate::validity::invalid;
use crate::{
    Action, ApprovalHistory, Decision, Facts, Grants, Policy, Reason, Source, Stage, TraceEntry, Verdict,
};

/// Decides whether a call may run.
///
/// The call is split into parts: its effects, the targets of links in their paths, and the files that the
/// words of its commands read and write. Each part passes these stages in order, and the first stage with a
/// verdict decides about it: validity, the floor, deny rules, constraints, must-ask and ask rules, allow
/// rules, session grants, learned approvals, the default of the autonomy (RULES H2, SECURITY "Policy
/// engine"). Within a stage the lowest rule id wins, so the order of rules does not matter. The most severe
/// part decides about the call.
///
/// ```
/// use windlass_hitl::{Facts, Grants, ApprovalHistory, Policy, Verdict, decide};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("write_file")?, Arguments::default());
/// let decide_write = |path: &str| {
///     let effects = vec![Effect::Write { path: path.into(), bytes: None }];
///     let facts = Facts::new(call.name.clone(), Hints::default(), &call, effects);
///     decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts)
/// };
/// assert_eq!(decide_write("src/lib.rs").verdict, Verdict::Ask);
/// let outside = decide_write("../../etc/passwd");
/// assert_eq!((outside.verdict, outside.reason.rule_id.as_str()), (Verdict::Deny, "f.outside_write"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(policy: &Policy, grants: &Grants, history: &ApprovalHistory, facts: &Facts) -> Decision {
    if let Some(reason) = too_many_effects(&facts.effects) {
        return refusal(facts, reason, facts.hints.risk);
    }
    let parts = parts(facts);
    let risk = parts.iter().map(risk_of).max().unwrap_or(Risk::Low).max(facts.hints.risk);
    if let Some(reason) = too_many_comparisons(policy, &parts) {
        return refusal(facts, reason, risk);
    }
    let known = check_grants(grants, facts, risk).or_else(|| check_history(history, facts, risk));
    let mut trace: Vec<TraceEntry> = Vec::new();
    let mut below: Option<TraceEntry> = None;
    for part in &parts {
        let entry = decide_part(policy, known.as_ref(), facts, part);
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

/// Returns the reason why a call with at least these effects will be denied, or `None` if that is not
/// certain. Callers use it while other arguments of the call still stream (DESIGN "Early decision").
///
/// Only denials that cannot be lifted count: limits, validity, the floor, deny rules and constraints.
/// Autonomy, grants and the human are not consulted.
///
/// ```
/// use windlass_hitl::{Policy, deny_early};
/// use windlass_protocol::{Effect, ToolName};
///
/// let write = |path: &str| [Effect::Write { path: path.into(), bytes: None }];
/// let tool = ToolName::new("write_file")?;
/// assert_eq!(deny_early(&Policy::default(), &tool, &write("src/lib.rs")), None);
/// let reason = deny_early(&Policy::default(), &tool, &write("../../etc/passwd"));
/// assert_eq!(reason.map(|reason| reason.rule_id), Some("f.outside_write".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deny_early(policy: &Policy, tool: &ToolName, effects: &[Effect]) -> Option<Reason> {
    if let Some(reason) = too_many_effects(effects) {
        return Some(reason);
    }
    let parts = effects.iter().map(Part::from_effect);
    let denials: Vec<_> = parts.filter_map(|part| denial(policy, tool, &part)).collect();
    (!denials.is_empty()).then(|| Decision::from_trace(denials, Risk::Low).reason)
}

/// Returns the denial of a call that exceeds the limits of a decision.
fn refusal(facts: &Facts, reason: Reason, risk: Risk) -> Decision {
    let about = format!("{} as a whole", facts.tool);
    Decision::from_trace(vec![TraceEntry::new(Stage::Validity, Verdict::Deny, reason, about)], risk)
        .deny_if_headless(facts.autonomy)
}

fn decide_part(policy: &Policy, known: Option<&TraceEntry>, facts: &Facts, part: &Part<'_>) -> TraceEntry {
    denial(policy, &facts.tool, part)
        .or_else(|| {
            read_only(facts, part).map(|reason| part.to_entry(Stage::Constraints, Verdict::Deny, reason))
        })
        .or_else(|| demand(policy, facts, part))
        .or_else(|| permission(policy, facts, part))
        .or_else(|| known.map(|entry| TraceEntry { about: part.describe(), ..entry.clone() }))
        .unwrap_or_else(|| decide_by_autonomy(facts, part))
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

fn breaches<'a>(
    policy: &'a Policy,
    part: &'a Part<'_>,
) -> impl Iterator<Item = (&'a str, Source, Breach)> + 'a {
    let fences = policy.fences.iter();
    fences.filter_map(|fence| Some((fence.id.as_str(), fence.source, fence.breach(part)?)))
}

/// Runs the stage of ask rules: ask rules, deny rules and constraints whose match is uncertain, and the
/// built-in must-ask rules.
fn demand(policy: &Policy, facts: &Facts, part: &Part<'_>) -> Option<TraceEntry> {
    let by_rule =
        rules(policy, Action::Ask, &facts.tool, part).map(|rule| quote_reason(rule, "a rule asks for this"));
    let unclear = breaches(policy, part).filter_map(|(id, source, breach)| match breach {
        Breach::Unclear(text) => Some(Reason::new(id, source, text)),
        Breach::Broken(_) => None,
    });
    let by_words = reasons_of_words(policy, facts, part);
    let possible = rules(policy, Action::Deny, &facts.tool, part).filter(|rule| !rule.is_certain(part));
    let possible =
        possible.map(|rule| quote_reason(rule, "a rule may deny this for a name below the folder"));
    by_rule
        .chain(by_words)
        .chain(possible)
        .chain(unclear)
        .chain(must_ask(facts, part))
        .min_by(|left, right| left.rule_id.cmp(&right.rule_id))
        .map(|reason| part.to_entry(Stage::AskRules, Verdict::Ask, reason))
}

/// Returns a reason to ask for each deny or ask rule that would match if a word of the command were a path or
/// a program.
fn reasons_of_words(policy: &Policy, facts: &Facts, part: &Part<'_>) -> Vec<Reason> {
    let Some(reading) = &part.reading else { return Vec::new() };
    let text = "a word of the command may match this rule";
    let reason = |rule: &CompiledRule| Reason::new(&rule.rule.id, rule.source, text);
    let strict: Vec<&CompiledRule> =
        policy.rules.iter().filter(|rule| rule.rule.action != Action::Allow).collect();
    let may_run = |rule: &&&CompiledRule| rule.may_be_run_by(&facts.tool, part, &reading.scan);
    let mut reasons: Vec<Reason> = strict.iter().filter(may_run).map(|rule| reason(rule)).collect();
    let about_paths: Vec<&CompiledRule> =
        strict.into_iter().filter(|rule| rule.rule.path.is_some()).collect();
    if about_paths.is_empty() {
        return reasons;
    }
    for word in word_parts(facts, part) {
        let path = word.path.as_deref().map(Candidate::new);
        let fitting = about_paths.iter().filter(|rule| rule.fits(&facts.tool, &word, path.as_ref()));
        reasons.extend(fitting.map(|rule| reason(rule)));
    }
    reasons
}

/// Runs the stage of allow rules.
fn permission(policy: &Policy, facts: &Facts, part: &Part<'_>) -> Option<TraceEntry> {
    let mut fitting: Vec<_> = rules(policy, Action::Allow, &facts.tool, part).collect();
    fitting.sort_by_key(|rule| &rule.rule.id);
    let rule = match part.effect.as_ref() {
        Effect::Execute { .. } => covering(&fitting, part)?,
        _ => fitting.first()?,
    };
    Some(part.to_entry(Stage::AllowRules, Verdict::Allow, quote_reason(rule, allow_text(rule, &part.effect))))
}

/// Returns the rule with the lowest id among those that together cover every program of a command. Returns
/// `None` if a program is not covered, or if its arguments can make it do more than the rules allow.
fn covering<'a>(fitting: &[&'a CompiledRule], part: &Part<'_>) -> Option<&'a CompiledRule> {
    let mut used: Vec<&CompiledRule> = Vec::new();
    for simple in part.reading.as_ref()?.simple()? {
        if hindrance(simple.argv()).is_some() {
            return None;
        }
        used.push(fitting.iter().find(|rule| rule.covers(simple.argv()))?);
    }
    used.into_iter().min_by_key(|rule| &rule.rule.id)
}

/// Returns the rules with an action that match a part of a call.
fn rules<'a>(
    policy: &'a Policy,
    action: Action,
    tool: &'a ToolName,
    part: &'a Part<'_>,
) -> impl Iterator<Item = &'a CompiledRule> {
    let path = part.path.as_deref().map(Candidate::new);
    policy.rules.iter().filter(move |rule| rule.rule.action == action && rule.fits(tool, part, path.as_ref()))
}

fn quote_reason(rule: &CompiledRule, otherwise: &str) -> Reason {
    Reason::new(&rule.rule.id, rule.source, rule.rule.reason.as_deref().unwrap_or(otherwise))
}

fn allow_text(rule: &CompiledRule, effect: &Effect) -> &'static str {
    match (rule.source, effect) {
        (Source::Builtin, effect) if effect.is_read() => "reading inside the workspace",
        (Source::Builtin, _) => "nothing outside the run changes",
        _ => "a rule allows this",
    }
}

fn check_grants(grants: &Grants, facts: &Facts, risk: Risk) -> Option<TraceEntry> {
    // Calls of critical risk are asked each time (SECURITY "Risk levels").
    if risk == Risk::Critical || !grants.covers(facts) {
        return None;
    }
    let reason = Reason::new("g.session", Source::Session, "allowed by the human for this session");
    Some(TraceEntry::new(Stage::SessionGrants, Verdict::Allow, reason, String::new()))
}

fn check_history(history: &ApprovalHistory, facts: &Facts, risk: Risk) -> Option<TraceEntry> {
    // Untrusted text may steer the model, so calls that could exfiltrate data are asked (SECURITY "Secrets
    // and output").
    let carries = |effect: &Effect| !effect.is_read() && !matches!(effect, Effect::Internal);
    if risk > Risk::Medium || facts.tainted && facts.effects_or_unknown().iter().any(carries) {
        return None;
    }
    let id = history.find_active(facts)?;
    let text = "calls of this shape were approved before, and often enough";
    let reason = Reason::new(format!("l.{id}"), Source::Learned, text);
    Some(TraceEntry::new(Stage::LearnedApprovals, Verdict::Allow, reason, String::new()))
}
