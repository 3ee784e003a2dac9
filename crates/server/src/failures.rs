//! The rate of requests with a wrong token.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of wrong tokens in a window after which further ones get "too many requests".
const MOST: u32 = 20;

/// Length of a window.
const WINDOW: Duration = Duration::from_mins(1);

/// The number of wrong tokens in the current window. A right token is accepted however many wrong ones there were, so
/// an attacker cannot lock the user out.
#[derive(Debug)]
pub(crate) struct Failures(Mutex<(Instant, u32)>);

impl Default for Failures {
    fn default() -> Self {
        Self(Mutex::new((Instant::now(), 0)))
    }
}

impl Failures {
    /// Counts a wrong token. Returns the time until the next window if there were too many.
    pub(crate) fn count(&self, now: Instant) -> Option<Duration> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(state.0) >= WINDOW {
            *state = (now, 0);
        }
        state.1 = state.1.saturating_add(1);
        (state.1 > MOST).then(|| WINDOW.saturating_sub(now.saturating_duration_since(state.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_wrong_tokens_is_limited_for_a_minute() {
        let failures = Failures::default();
        let start = Instant::now();
        assert!((0..MOST).all(|_| failures.count(start).is_none()));
        assert!(failures.count(start).is_some_and(|wait| wait <= WINDOW));
        assert!(failures.count(start + WINDOW).is_none());
    }
}
