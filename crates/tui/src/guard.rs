//! The guard of a question: only keys that were pressed after it was displayed answer it.

use std::time::Duration;

/// Time without input after a question appeared. Keys before its end were meant for something else.
pub(crate) const QUIET: Duration = Duration::from_millis(400);
/// Time without further input after a key, before the key counts. The keys of a burst come faster.
pub(crate) const SETTLE: Duration = Duration::from_millis(60);

/// Guard of one question.
///
/// A question takes keys after it was drawn, then no input arrived for [`QUIET`], and then the program found that no
/// input was pending. A key counts when no other input follows it for [`SETTLE`].
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyGuard {
    /// The later one of the first drawing and the newest input; `None` before the first drawing.
    quiet_since: Option<Duration>,
    is_armed: bool,
    pending: Option<(char, Duration)>,
}

impl KeyGuard {
    /// The question is displayed.
    pub(crate) fn observe_drawing(&mut self, now: Duration) {
        self.quiet_since.get_or_insert(now);
    }

    /// Input that is not an answer arrived: the quiet time starts again.
    pub(crate) fn observe_input(&mut self, now: Duration) {
        self.pending = None;
        self.is_armed = false;
        if let Some(since) = &mut self.quiet_since {
            *since = now;
        }
    }

    /// Returns true if keys can answer.
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Returns true if time has to pass before something changes.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending.is_some() || (!self.is_armed && self.quiet_since.is_some())
    }

    /// Takes a key. Returns false if it cannot become an answer.
    pub(crate) fn press(&mut self, key: char, now: Duration) -> bool {
        if !self.is_armed || self.pending.is_some() {
            self.observe_input(now);
            return false;
        }
        self.pending = Some((key, now));
        true
    }

    /// Returns the key that waits for its time, and forgets it.
    pub(crate) fn take_pending(&mut self) -> Option<char> {
        self.pending.take().map(|(key, _)| key)
    }

    /// Returns the key that counts now. `is_idle` is true if no input was pending at `now`.
    pub(crate) fn advance(&mut self, now: Duration, is_idle: bool) -> Option<char> {
        if !is_idle {
            return None;
        }
        if let Some((key, pressed)) = self.pending
            && now.saturating_sub(pressed) >= SETTLE
        {
            self.pending = None;
            return Some(key);
        }
        if self.quiet_since.is_some_and(|since| now.saturating_sub(since) >= QUIET) {
            self.is_armed = true;
        }
        None
    }
}

#[cfg(test)]
mod tests;
