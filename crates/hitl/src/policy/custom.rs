//! Compiled conditions about custom effects.

use globset::Candidate;
use windlass_protocol::{Amount, Effect};

use super::PolicyError;
use super::glob::PathGlob;
use crate::CustomCondition;

/// Compiled form of a [`CustomCondition`].
#[derive(Clone, Debug)]
pub(crate) struct CustomMatcher {
    condition: CustomCondition,
    target: Option<PathGlob>,
}

/// Match of a condition with an effect, ordered by certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The condition does not match.
    No,
    /// The tool does not state the amount, or states it in another unit.
    Unknown,
    /// The condition matches.
    Yes,
}

impl CustomMatcher {
    /// Compiles a condition of the rule or constraint `id`.
    pub(crate) fn new(id: &str, condition: CustomCondition) -> Result<Self, PolicyError> {
        let has_bound = condition.at_most.is_some() || condition.at_least.is_some();
        if has_bound && condition.unit.is_none() {
            return Err(PolicyError::NoUnit { id: id.to_owned() });
        }
        let target = condition.target.as_deref().map(|glob| PathGlob::new(id, glob)).transpose()?;
        Ok(Self { condition, target })
    }

    /// Matches all criteria with an effect.
    pub(crate) fn fits(&self, effect: &Effect) -> Fit {
        let Effect::Custom { kind, target, amount } = effect else { return Fit::No };
        if self.covers_kind(kind) && self.covers_target(target) {
            self.fits_amount(amount.as_ref())
        } else {
            Fit::No
        }
    }

    /// Returns whether the condition is about this kind of effect.
    pub(super) fn covers_kind(&self, kind: &str) -> bool {
        let Some(wanted) = self.condition.kind.as_deref() else { return true };
        match wanted.strip_suffix(".*") {
            Some(above) => {
                kind.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            None => wanted == kind,
        }
    }

    pub(super) fn covers_target(&self, target: &str) -> bool {
        self.target.as_ref().is_none_or(|glob| glob.fits(&Candidate::new(target)))
    }

    /// Matches the unit and the bounds.
    pub(super) fn fits_amount(&self, amount: Option<&Amount>) -> Fit {
        let Some(unit) = &self.condition.unit else { return Fit::Yes };
        let Some(amount) = amount.filter(|amount| amount.unit == *unit) else { return Fit::Unknown };
        let is_within = self.condition.at_most.is_none_or(|most| amount.value <= most)
            && self.condition.at_least.is_none_or(|least| amount.value >= least);
        if is_within { Fit::Yes } else { Fit::No }
    }

    /// Returns the number of its globs.
    pub(super) fn globs(&self) -> usize {
        usize::from(self.target.is_some())
    }
}
