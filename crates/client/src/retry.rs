//! Which failures are worth another try, and how long to wait before it.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::time::Instant;
use windlass_model::{ModelError, ModelErrorKind};

use crate::Options;
use crate::facts::Fact;

/// An attempt that failed.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) error: ModelError,
    /// The status, where there was an answer.
    pub(crate) status: Option<u16>,
    /// What a refusal teaches, if it does.
    pub(crate) lesson: Option<Fact>,
}

impl Attempt {
    /// Whether the same request is sent again (RULES L9).
    ///
    /// Only where the provider says so or was never reached: a request that was sent and not answered may have
    /// been paid for, so whether to repeat it is the caller's question.
    pub(crate) fn is_worth_another(&self) -> bool {
        match self.status {
            // A status of success is that of an answer whose first event was an error (RULES S12).
            Some(200..=299 | 408 | 409 | 429 | 500..=599) => {
                matches!(self.error.kind, ModelErrorKind::RateLimit | ModelErrorKind::Server)
            }
            Some(_) => false,
            None => self.error.kind == ModelErrorKind::Unreachable,
        }
    }

    /// Whether the provider answered that it cannot serve the request now.
    fn is_overload(&self) -> bool {
        self.status.is_some() && self.is_worth_another()
    }

    /// How long to wait before the next attempt; none if the answer's time would be over by then.
    pub(crate) fn wait(&self, backoff: Duration, deadline: Instant) -> Option<Duration> {
        let wait = full_jitter(backoff).max(self.error.retry_after.unwrap_or_default());
        (wait < deadline.saturating_duration_since(Instant::now())).then_some(wait)
    }
}

impl From<ModelError> for Attempt {
    fn from(error: ModelError) -> Self {
        Self { error, status: None, lesson: None }
    }
}

/// The attempts for one answer.
pub(crate) struct Tries {
    waits: ExponentialBackoff,
    longest: Duration,
    retry_for: Duration,
    /// When the provider first refused because it is overloaded.
    overloaded_since: Option<Instant>,
    /// How many requests were sent.
    pub(crate) attempts: usize,
}

impl Tries {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            waits: waits(options),
            longest: options.longest_backoff,
            retry_for: options.retry_for,
            overloaded_since: None,
            attempts: 0,
        }
    }

    /// How long to wait before the next attempt; none if there is none.
    pub(crate) fn wait(&mut self, failed: &Attempt, deadline: Instant) -> Option<Duration> {
        if !failed.is_worth_another() {
            return None;
        }
        let next = self.waits.next();
        if !failed.is_overload() || self.retry_for.is_zero() {
            // The provider knows best how long to wait.
            return failed.wait(next?, deadline);
        }
        let until = after(*self.overloaded_since.get_or_insert_with(Instant::now), self.retry_for);
        failed.wait(next.unwrap_or(self.longest), deadline.min(until))
    }
}

/// The doubling waits, before jitter.
fn waits(options: &Options) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(options.backoff)
        .with_max_delay(options.longest_backoff)
        .with_max_times(options.retries)
        .build()
}

/// A part of the wait, each as likely as the other, so that clients that were refused together do not come
/// back together. Without randomness the whole wait is taken.
fn full_jitter(wait: Duration) -> Duration {
    let part = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
    wait.mul_f64(part)
}

/// A moment so long after another; far away if it cannot be said.
pub(crate) fn after(start: Instant, wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365);
    start.checked_add(wait).or_else(|| start.checked_add(FAR)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
