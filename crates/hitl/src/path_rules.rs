//! Rules about paths that a call finds while it runs.

use globset::Candidate;
use windlass_protocol::{Effect, ToolName};

use crate::decide::denial;
use crate::part::{Part, parts};
use crate::place::LONGEST_PATH;
use crate::policy::Breach;
use crate::{Action, Policy, PolicyInput, RuleLink};

/// The rules that decide which paths below a folder a call may return or remove.
///
/// The decision about a call covers the paths that the call names. A tool that lists, searches or removes a
/// folder finds further paths, and asks these rules about each of them. The rules refuse a path that the
/// policy denies, and a path that an ask rule matches unless that rule also matches a path that the call
/// named: the call would need a separate approval for it.
///
/// ```
/// use windlass_hitl::{Action, EffectKind, PolicyInput, Policy, Rule, RuleFile, Source};
/// use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};
///
/// let mut file = RuleFile::default();
/// file.rules.push(Rule::new("no", Action::Deny).with_effect(EffectKind::Read).with_path("private/**"));
/// let policy = Policy::default().with_file(Source::User, file)?;
/// let call = ToolCall::function(CallId::new("call_1")?, ToolName::new("grep_file")?, Arguments::default());
/// let read = |path: &str| Effect::Read { path: path.into() };
/// let facts = PolicyInput::new(call.name.clone(), Hints::read_only(), &call, vec![read(".")]);
/// let rules = policy.path_rules(&facts).ok_or("no rule is about paths")?;
/// assert!(rules.refuse(&read("private/x.txt")) && !rules.refuse(&read("src/lib.rs")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathRules {
    policy: Policy,
    tool: ToolName,
    /// The paths that the call names. An ask rule that matches one of them has been answered.
    named: Vec<String>,
    links: Vec<RuleLink>,
}

impl Policy {
    /// Returns the rules about paths that a call finds while it runs, or `None` if no rule can refuse one.
    pub fn path_rules(&self, facts: &PolicyInput) -> Option<PathRules> {
        let policy = self.for_payload(Some(&facts.payload)).path_rules_for(&facts.tool);
        if policy.is_open() {
            return None;
        }
        let all_names = |part: Part<'_>| part.path.into_iter().chain(part.aliases);
        let named = parts(facts).into_iter().flat_map(all_names).collect();
        let (tool, links) = (facts.tool.clone(), facts.links.clone());
        Some(PathRules { policy, tool, named, links })
    }
}

impl PathRules {
    /// Returns whether the rules refuse an effect on a path that the call did not name.
    pub fn refuse(&self, effect: &Effect) -> bool {
        // A path of this length cannot exist, so it cannot have been found.
        if effect.path().is_some_and(|path| path.len() > LONGEST_PATH) {
            return true;
        }
        let part = Part::from_found_path(effect).with_aliases(&self.links);
        denial(&self.policy, &self.tool, &part).is_some() || self.is_asked(&part) || self.is_unclear(&part)
    }

    fn is_asked(&self, part: &Part<'_>) -> bool {
        let path = part.path.as_deref().map(Candidate::new);
        let asking = self.policy.rules.iter().filter(|rule| rule.rule.action == Action::Ask);
        let mut asking = asking.filter(|rule| rule.fits(&self.tool, part, path.as_ref()));
        asking.any(|rule| !self.named.iter().any(|named| rule.fits_named(named)))
    }

    fn is_unclear(&self, part: &Part<'_>) -> bool {
        let unclear = |breach| matches!(breach, Breach::Unclear(_));
        self.policy.fences.iter().filter_map(|fence| fence.breach(part)).any(unclear)
    }
}
