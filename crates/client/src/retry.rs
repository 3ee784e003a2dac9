//! The decision to retry, and the wait before a retry.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::time::Instant;
use windlass_stream::{ModelError, ModelErrorKind};
use windlass_vendors::ParameterRejection;

use crate::Options;

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) error: ModelError,
    /// HTTP status; `None` if the server sent no response.
    pub(crate) status: Option<u16>,
    /// Parameter that the refusal names, if any.
    pub(crate) rejection: Option<ParameterRejection>,
}

impl Attempt {
    /// Returns true if the same request may be sent again (RULES L9).
    ///
    /// Only if the provider refused it temporarily or was never reached. A request that was sent without an
    /// answer may have been billed, so the caller decides about its repetition.
    pub(crate) fn is_worth_another(&self) -> bool {
        match self.status {
            // A success status belongs to an answer whose first event was an error (RULES S12).
            Some(200..=299 | 408 | 409 | 429 | 500..=599) => {
                matches!(self.error.kind, ModelErrorKind::RateLimit | ModelErrorKind::Server)
            }
            Some(_) => false,
            None => self.error.kind == ModelErrorKind::Unreachable,
        }
    }

    /// Returns true if the provider answered that it cannot serve the request now.
    fn is_overload(&self) -> bool {
        self.status.is_some() && self.is_worth_another()
    }

    /// Returns the wait before the next attempt, or `None` if it would end after the deadline.
    pub(crate) fn wait(&self, backoff: Duration, deadline: Instant) -> Option<Duration> {
        self.wait_until(full_jitter(backoff), deadline)
    }

    /// Like [`wait`](Self::wait) without jitter: the provider's own wait, if longer, takes precedence.
    fn wait_until(&self, backoff: Duration, deadline: Instant) -> Option<Duration> {
        let wait = backoff.max(self.error.retry_after.unwrap_or_default());
        (wait < deadline.saturating_duration_since(Instant::now())).then_some(wait)
    }
}

impl From<ModelError> for Attempt {
    fn from(error: ModelError) -> Self {
        Self { error, status: None, rejection: None }
    }
}

/// Retry state of one answer.
pub(crate) struct Tries {
    waits: ExponentialBackoff,
    longest: Duration,
    retry_for: Duration,
    /// Time of the first refusal because of overload.
    overloaded_since: Option<Instant>,
    /// Number of requests sent.
    pub(crate) attempts: usize,
    /// Headers of the last response with a success status.
    pub(crate) headers: Vec<(String, String)>,
}

impl Tries {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            waits: waits(options),
            longest: options.longest_backoff,
            retry_for: options.retry_for,
            overloaded_since: None,
            attempts: 0,
            headers: Vec::new(),
        }
    }

    /// Returns the wait before the next attempt, or `None` if the client gives up.
    pub(crate) fn wait(&mut self, failed: &Attempt, deadline: Instant) -> Option<Duration> {
        if !failed.is_worth_another() {
            return None;
        }
        let next = self.waits.next();
        if !failed.is_overload() || self.retry_for.is_zero() {
            return failed.wait(next?, deadline);
        }
        let until = add_wait(*self.overloaded_since.get_or_insert_with(Instant::now), self.retry_for);
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || failed.error.retry_after.is_some_and(|wait| wait >= left) {
            return None;
        }
        // A computed wait is shortened, so that the last attempt begins when the time is over; a wait that the provider
        // demands is not. The deadline of the whole answer leaves no time for an attempt, so nothing is shortened to it.
        failed.wait_until(full_jitter(next.unwrap_or(self.longest)).min(left), deadline)
    }
}

/// Returns the doubling waits, before jitter.
fn waits(options: &Options) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(options.backoff)
        .with_max_delay(options.longest_backoff)
        .with_max_times(options.retries)
        .build()
}

/// Returns a uniformly random part of the wait (full jitter), so that clients that were refused together do
/// not retry together. Returns the whole wait if no randomness is available.
fn full_jitter(wait: Duration) -> Duration {
    let part = getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX));
    wait.mul_f64(part)
}

/// Returns `start` plus `wait`. If that overflows, returns a time one year after `start`.
pub(crate) fn add_wait(start: Instant, wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365);
    start.checked_add(wait).or_else(|| start.checked_add(FAR)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
