//! Loading of a policy file: limits, ids, and the compilation of its rules and constraints.

use std::collections::HashSet;
use std::sync::Arc;

use super::matcher::count_globs;
use super::{CompiledRule, Fence, Policy, PolicyError};
use crate::{Action, RuleFile, Source};

/// Maximum number of rules and constraints of all files together, with the built-in rules.
const MAX_RULES: usize = 2_000;
/// Maximum number of globs of all files together.
const MAX_GLOBS: usize = 1_000;
/// Maximum number of examples in one file. Each example is decided when the file is read.
const MAX_EXAMPLES: usize = 10_000;

/// Loader of one file into a policy.
pub(super) struct Loader<'p> {
    policy: &'p mut Policy,
    source: Source,
    /// The ids of all rules and constraints, so that no id names two.
    taken: HashSet<String>,
}

impl<'p> Loader<'p> {
    /// Creates a loader. Refuses a file that makes the policy too large.
    pub(super) fn new(policy: &'p mut Policy, source: Source, file: &RuleFile) -> Result<Self, PolicyError> {
        refuse_too_many(policy, file)?;
        let taken = policy.ids().map(|(id, _)| id.to_owned()).collect();
        Ok(Self { policy, source, taken })
    }

    /// Adds the rules and constraints of the file.
    pub(super) fn load(mut self, file: RuleFile) -> Result<(), PolicyError> {
        for rule in file.rules {
            if self.source == Source::Project && rule.action == Action::Allow {
                return Err(PolicyError::Loosens { id: rule.id });
            }
            self.take_id(&rule.id)?;
            let (rule, warning) = CompiledRule::new(rule, self.source)?;
            self.policy.rules.push(Arc::new(rule));
            self.policy.warnings.extend(warning);
        }
        for constraint in file.constraints {
            self.take_id(&constraint.id)?;
            self.policy.fences.push(Fence::new(constraint, self.source)?);
        }
        Ok(())
    }

    /// Reserves the id of a rule or constraint.
    fn take_id(&mut self, id: &str) -> Result<(), PolicyError> {
        check_id(id)?;
        if !self.taken.insert(id.to_owned()) {
            return Err(PolicyError::DuplicateId { id: id.to_owned() });
        }
        Ok(())
    }
}

/// Refuses an empty id, and an id that begins like those of built-in rules.
pub(super) fn check_id(id: &str) -> Result<(), PolicyError> {
    if id.is_empty() {
        return Err(PolicyError::EmptyId);
    }
    if ["v.", "f.", "p.", "b.", "g.", "l.", "d.", "t."].iter().any(|prefix| id.starts_with(prefix)) {
        return Err(PolicyError::DuplicateId { id: id.to_owned() });
    }
    Ok(())
}

/// Refuses a file that is too large before its globs are compiled. Each glob costs time and memory, and
/// each rule is compared with every part of a call.
fn refuse_too_many(policy: &Policy, file: &RuleFile) -> Result<(), PolicyError> {
    let refuse = |count: usize, limit, what| {
        if count > limit { Err(PolicyError::TooMany { what, limit }) } else { Ok(()) }
    };
    let rules = [policy.count(), file.rules.len(), file.constraints.len()];
    refuse(rules.into_iter().fold(0, usize::saturating_add), MAX_RULES, "rules and constraints")?;
    let blocked = file.constraints.iter().map(|fence| {
        let target = fence.custom.as_ref().and_then(|custom| custom.target.as_ref());
        [fence.paths.len(), fence.blocked.len(), usize::from(target.is_some())]
            .into_iter()
            .fold(0, usize::saturating_add)
    });
    let own = policy.fences.iter().map(Fence::globs);
    let new = file.rules.iter().map(count_globs);
    let known = policy.rules.iter().map(|rule| rule.globs());
    let globs = blocked.chain(own).chain(new).chain(known).fold(0, usize::saturating_add);
    refuse(globs, MAX_GLOBS, "globs")?;
    let examples = file.rules.iter().map(|rule| rule.matches.len().saturating_add(rule.not_match.len()));
    refuse(examples.fold(0, usize::saturating_add), MAX_EXAMPLES, "examples in one file")
}
