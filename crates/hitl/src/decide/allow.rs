//! The stage of allow rules.

use windlass_protocol::Effect;

use super::rules::{quote_reason, rules};
use crate::part::Part;
use crate::policy::CompiledRule;
use crate::reading::hindrance;
use crate::{Action, Policy, PolicyInput, Source, Stage, TraceEntry, Verdict};

/// Runs the stage of allow rules.
pub(super) fn permission(policy: &Policy, facts: &PolicyInput, part: &Part<'_>) -> Option<TraceEntry> {
    let mut fitting: Vec<_> = rules(policy, Action::Allow, &facts.tool, part).collect();
    fitting.sort_by_key(|rule| &rule.rule.id);
    let rule = match part.effect.as_ref() {
        Effect::Execute { .. } => find_covering_rule(&fitting, part)?,
        _ => fitting.first()?,
    };
    Some(part.to_entry(Stage::AllowRules, Verdict::Allow, quote_reason(rule, allow_text(rule, &part.effect))))
}

/// Returns the rule with the lowest id among those that together cover every program of a command. Returns
/// `None` if a program is not covered, or if its arguments can make it do more than the rules allow.
fn find_covering_rule<'a>(fitting: &[&'a CompiledRule], part: &Part<'_>) -> Option<&'a CompiledRule> {
    let mut used: Vec<&CompiledRule> = Vec::new();
    for simple in part.reading.as_ref()?.simple()? {
        if hindrance(simple.argv()).is_some() {
            return None;
        }
        used.push(fitting.iter().find(|rule| rule.covers(simple.argv()))?);
    }
    used.into_iter().min_by_key(|rule| &rule.rule.id)
}

fn allow_text(rule: &CompiledRule, effect: &Effect) -> &'static str {
    match (rule.source, effect) {
        (Source::Builtin, effect) if effect.is_read() => "reading inside the workspace",
        (Source::Builtin, _) => "nothing outside the run changes",
        _ => "a rule allows this",
    }
}
