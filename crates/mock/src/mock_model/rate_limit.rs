//! The rate limit of a mock model.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use windlass_stream::ModelError;

use super::fault::refusal;

/// A limit on the requests in any window of a length.
#[derive(Debug)]
pub(super) struct RateLimit {
    requests: usize,
    window: Duration,
    /// The times of the admitted requests in the present window.
    admitted: VecDeque<Instant>,
}

impl RateLimit {
    pub(super) fn new(requests: usize, window: Duration) -> Self {
        Self { requests, window, admitted: VecDeque::new() }
    }

    /// Admits a request, or refuses it with the wait until the window has room.
    pub(super) fn admit(&mut self, now: Instant) -> Result<(), ModelError> {
        while self.admitted.front().is_some_and(|first| now.duration_since(*first) >= self.window) {
            self.admitted.pop_front();
        }
        if self.admitted.len() < self.requests {
            self.admitted.push_back(now);
            return Ok(());
        }
        let elapsed = self.admitted.front().map_or(Duration::ZERO, |first| now.duration_since(*first));
        Err(refusal(429, Some(self.window.saturating_sub(elapsed))))
    }
}
