//! The rules and constraints of a policy that match a part of a call.

use globset::Candidate;
use windlass_protocol::ToolName;

use crate::part::Part;
use crate::policy::{Breach, CompiledRule};
use crate::{Action, Policy, Reason, Source};

/// Returns the rules with an action that match a part of a call.
pub(super) fn rules<'a>(
    policy: &'a Policy,
    action: Action,
    tool: &'a ToolName,
    part: &'a Part<'_>,
) -> impl Iterator<Item = &'a CompiledRule> {
    let path = part.path.as_deref().map(Candidate::new);
    let rules = policy.rules.iter().map(AsRef::as_ref);
    rules.filter(move |rule: &&CompiledRule| {
        rule.rule.action == action && rule.fits(tool, part, path.as_ref())
    })
}

pub(super) fn quote_reason(rule: &CompiledRule, otherwise: &str) -> Reason {
    Reason::new(&rule.rule.id, rule.source, rule.rule.reason.as_deref().unwrap_or(otherwise))
}

pub(super) fn breaches<'a>(
    policy: &'a Policy,
    part: &'a Part<'_>,
) -> impl Iterator<Item = (&'a str, Source, Breach)> + 'a {
    let fences = policy.fences.iter();
    fences.filter_map(|fence| Some((fence.id.as_str(), fence.source, fence.breach(part)?)))
}
