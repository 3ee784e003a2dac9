//! The decision about a call: a pure, total function.

use windlass_protocol::{Effect, Risk, ToolName};

use crate::floor::{floor, must_ask};
use crate::policy::Compiled;
use crate::{Action, Decision, Facts, Grants, Learned, Mode, Policy, Reason, Source, Step, Verdict};

/// Decides whether a call may run.
///
/// Each effect goes through the stages in order, and the first that has a verdict ends it: the floor that no
/// rule can lower, deny rules, constraints, must-ask rules, allow rules, what the human granted in this
/// session, what earlier answers taught, the mode's default (RULES H2, SECURITY "Policy engine"). The most severe effect decides.
///
/// ```
/// use windlass_hitl::{Facts, Grants, Learned, Policy, Verdict, decide};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("write_file")?, Arguments::default());
/// let judge = |path: &str| {
///     let effects = vec![Effect::Write { path: path.into(), bytes: None }];
///     let facts = Facts::new(call.name.clone(), Hints::default(), &call, effects);
///     decide(&Policy::default(), &Grants::default(), &Learned::default(), &facts)
/// };
/// assert_eq!(judge("src/lib.rs").verdict, Verdict::Ask);
/// let outside = judge("../../etc/passwd");
/// assert_eq!((outside.verdict, outside.reason.rule_id.as_str()), (Verdict::Deny, "f.outside_write"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(policy: &Policy, grants: &Grants, learned: &Learned, facts: &Facts) -> Decision {
    let known = granted(grants, facts).or_else(|| taught(learned, facts));
    let trace = facts.judged().iter().map(|effect| judge(policy, known.as_ref(), facts, effect)).collect();
    Decision::of(trace, facts.risk())
}

/// Why a call that will have at least these effects is sure to be denied, if it is: asked while its other
/// arguments still stream (DESIGN "Early decision").
///
/// Only what nothing can lift counts: the floor, deny rules and constraints. What a human, a grant or a mode
/// would say is not asked here.
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
    let denials: Vec<_> = effects.iter().filter_map(|effect| denial(policy, tool, effect)).collect();
    (!denials.is_empty()).then(|| Decision::of(denials, Risk::Low).reason)
}

/// The stages that say no and that nothing after them can lift.
fn denial(policy: &Policy, tool: &ToolName, effect: &Effect) -> Option<Step> {
    if let Some(reason) = floor(effect) {
        return Some(Step::new(1, Verdict::Deny, reason));
    }
    if let Some(rule) = rule(policy, Action::Deny, tool, effect) {
        return Some(Step::new(2, Verdict::Deny, quoted(rule, "a rule denies this")));
    }
    let broken = policy.fences.iter().filter(|fence| fence.is_broken_by(effect));
    let fence = broken.min_by(|left, right| left.id.cmp(&right.id))?;
    let text = format!("the path is not one that constraint {} lets through", fence.id);
    Some(Step::new(3, Verdict::Deny, Reason::new(&fence.id, fence.source, text)))
}

fn judge(policy: &Policy, known: Option<&Step>, facts: &Facts, effect: &Effect) -> Step {
    if let Some(step) = denial(policy, &facts.tool, effect) {
        return step;
    }
    if let Some(rule) = rule(policy, Action::Ask, &facts.tool, effect) {
        return Step::new(4, Verdict::Ask, quoted(rule, "a rule asks for this"));
    }
    if let Some(reason) = must_ask(facts, effect) {
        return Step::new(4, Verdict::Ask, reason);
    }
    if let Some(rule) = rule(policy, Action::Allow, &facts.tool, effect) {
        return Step::new(5, Verdict::Allow, quoted(rule, allow_text(rule, effect)));
    }
    known.cloned().unwrap_or_else(|| by_mode(facts, effect))
}

/// The fitting rule of an action with the lowest id, so that the order of files never matters.
fn rule<'a>(policy: &'a Policy, action: Action, tool: &ToolName, effect: &Effect) -> Option<&'a Compiled> {
    policy
        .rules
        .iter()
        .filter(|rule| rule.action == action && rule.fits(tool, effect))
        .min_by(|left, right| left.id.cmp(&right.id))
}

fn quoted(rule: &Compiled, otherwise: &str) -> Reason {
    Reason::new(&rule.id, rule.source, rule.reason.as_deref().unwrap_or(otherwise))
}

fn allow_text(rule: &Compiled, effect: &Effect) -> &'static str {
    match (rule.source, effect) {
        (Source::Builtin, Effect::Read { .. }) => "reading inside the workspace",
        (Source::Builtin, _) => "nothing outside the run changes",
        _ => "a rule allows this",
    }
}

fn granted(grants: &Grants, facts: &Facts) -> Option<Step> {
    // What is critical is asked each time (SECURITY "Risk levels").
    if facts.risk() == Risk::Critical || !grants.covers(facts) {
        return None;
    }
    let reason = Reason::new("g.session", Source::Session, "allowed by the human for this session");
    Some(Step::new(6, Verdict::Allow, reason))
}

fn taught(learned: &Learned, facts: &Facts) -> Option<Step> {
    let id = learned.covers(facts)?;
    let text = "calls of this shape were approved before, and often enough";
    Some(Step::new(7, Verdict::Allow, Reason::new(format!("l.{id}"), Source::Learned, text)))
}

fn by_mode(facts: &Facts, effect: &Effect) -> Step {
    let (verdict, id, text) = match facts.mode {
        Mode::Headless => (Verdict::Deny, "d.headless", "no rule allows this and nobody is there to ask"),
        Mode::ReadOnly => (Verdict::Deny, "d.read_only", "this run only reads"),
        _ => (Verdict::Ask, "d.ask", ask_text(effect)),
    };
    Step::new(8, verdict, Reason::new(id, Source::Builtin, text))
}

fn ask_text(effect: &Effect) -> &'static str {
    match effect {
        Effect::Write { .. } => "changing a file needs a yes",
        Effect::Delete { .. } => "deleting a file needs a yes",
        Effect::Execute { .. } => "running a command needs a yes",
        Effect::Connect { .. } => "opening a connection needs a yes",
        Effect::Spawn { .. } => "handing work to another agent needs a yes",
        _ => "nobody can say what this does, so it needs a yes",
    }
}
