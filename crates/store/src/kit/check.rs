//! Violations, and values of several checks.

use windlass_protocol::RawJson;
use windlass_protocol::kit::RuleViolation;

use super::rule::StoreRule;
use crate::Store;

pub(super) type RuleResult<T = ()> = Result<T, RuleViolation<StoreRule>>;

/// Returns a violation if the condition does not hold.
pub(super) fn ensure(holds: bool, rule: StoreRule, found: impl FnOnce() -> String) -> RuleResult {
    if holds { Ok(()) } else { Err(RuleViolation::new(rule, found())) }
}

/// Conversion of errors that the kit did not expect.
pub(super) trait OrRule<T> {
    /// Returns a violation with the error as its source.
    fn or_rule(self, rule: StoreRule, found: &str) -> RuleResult<T>;
}

impl<T, E: std::error::Error + Send + Sync + 'static> OrRule<T> for Result<T, E> {
    fn or_rule(self, rule: StoreRule, found: &str) -> RuleResult<T> {
        self.map_err(|error| RuleViolation::new(rule, format!("{found}: {error}")).with_source(error))
    }
}

/// Parses JSON of this module.
pub(super) fn json(text: &str) -> RuleResult<RawJson> {
    text.parse::<RawJson>()
        .map_err(|_| RuleViolation::new(StoreRule::KeepsRuns, format!("{text} is not JSON")))
}

/// Creates a run for one check.
pub(super) fn create(store: &dyn Store, run: &str) -> RuleResult {
    store.create_run(run, &json("{}")?).or_rule(StoreRule::KeepsRuns, "a run could not be created")
}
