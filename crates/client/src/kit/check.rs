//! Violations, and the time of an exchange.

use std::future::Future;
use std::time::Duration;

use windlass_protocol::kit::RuleViolation;

use super::rule::TransportRule;

pub(super) type RuleResult<T = ()> = Result<T, RuleViolation<TransportRule>>;

/// The longest time of one exchange with the server of the kit.
const LONGEST: Duration = Duration::from_secs(20);

/// The value of the secret header, which no error may contain.
pub(super) const SECRET: &str = "Bearer kit-secret-7d1c";

/// Returns a violation if the condition does not hold.
pub(super) fn ensure(holds: bool, rule: TransportRule, found: impl FnOnce() -> String) -> RuleResult {
    if holds { Ok(()) } else { Err(RuleViolation::new(rule, found())) }
}

/// Conversion of errors that the kit did not expect.
pub(super) trait OrRule<T> {
    /// Returns a violation with the error as its source.
    fn or_rule(self, rule: TransportRule, found: &str) -> RuleResult<T>;
}

impl<T, E: std::error::Error + Send + Sync + 'static> OrRule<T> for Result<T, E> {
    fn or_rule(self, rule: TransportRule, found: &str) -> RuleResult<T> {
        self.map_err(|error| RuleViolation::new(rule, format!("{found}: {error}")).with_source(error))
    }
}

/// Limits the time of an exchange.
pub(super) async fn in_time<T>(
    rule: TransportRule,
    work: impl Future<Output = RuleResult<T>>,
) -> RuleResult<T> {
    match tokio::time::timeout(LONGEST, work).await {
        Ok(result) => result,
        Err(_) => Err(RuleViolation::new(rule, format!("the exchange did not end within {LONGEST:?}"))),
    }
}
