//! The attempts at the present answer or summary: their number, their repetition and its delay.

use crate::StreamFailure;

/// The first delay before a request is repeated, and the longest delay, in milliseconds.
pub(crate) const BACKOFF_MS: u64 = 200;
const LONGEST_BACKOFF_MS: u64 = 30_000;

/// The counters of attempts.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Number of answers requested in this process, repeated attempts included. It identifies an answer.
    answers: u64,
    /// Number of attempts at the present answer or summary, including those before a resume.
    sent: u32,
    /// Number of repetitions of the present answer with a delay.
    retries: u32,
    /// Number of refusals of the present request after which pictures were removed from the conversation.
    image_refusals: u32,
    /// Number of failed attempts that the record contains since the last answer.
    discarded: u32,
}

impl Attempts {
    /// Restarts the counts for an answer or a summary.
    pub(crate) fn begin(&mut self) {
        self.retries = 0;
        self.image_refusals = 0;
        self.sent = std::mem::take(&mut self.discarded);
    }

    /// Counts an attempt at an answer, and returns the number that identifies it.
    pub(crate) fn count_answer(&mut self) -> u64 {
        self.sent = self.sent.saturating_add(1);
        self.answers = self.answers.saturating_add(1);
        self.answers
    }

    /// Counts an attempt at a summary.
    pub(crate) fn count_summary(&mut self) {
        self.sent = self.sent.saturating_add(1);
    }

    /// Counts a failed attempt of the record.
    pub(crate) fn restore_discarded(&mut self) {
        self.discarded = self.discarded.saturating_add(1);
    }

    /// Forgets the failed attempts of the record, because an answer or a summary follows them.
    pub(crate) fn clear_discarded(&mut self) {
        self.discarded = 0;
    }

    /// Returns true if an empty answer may be requested again.
    pub(crate) fn may_repeat_empty(&self, limit: u32) -> bool {
        self.retries < limit.min(2)
    }

    /// Counts a repetition after a failure and returns its delay, which doubles each time; `None` if the
    /// failure is not retryable or the limit is reached (RULES L9).
    pub(crate) fn next_delay(&mut self, failure: &StreamFailure, limit: u32) -> Option<u64> {
        if !failure.retryable || self.retries >= limit {
            return None;
        }
        let doubled = BACKOFF_MS.saturating_mul(1_u64.checked_shl(self.retries).unwrap_or(u64::MAX));
        self.retries = self.retries.saturating_add(1);
        Some(doubled.min(LONGEST_BACKOFF_MS).max(failure.retry_after_ms.unwrap_or(0)))
    }

    /// Returns the least number of messages whose pictures are replaced after the next refusal: each refusal
    /// of the same request doubles it.
    pub(crate) fn messages_to_clear(&self) -> usize {
        1_usize.checked_shl(self.image_refusals).unwrap_or(usize::MAX)
    }

    /// Counts a refusal after which pictures were replaced.
    pub(crate) fn count_image_refusal(&mut self) {
        self.image_refusals = self.image_refusals.saturating_add(1);
    }

    /// Returns the name of the present attempt, such as `model-3` or `model-3-2` for its second attempt.
    pub(crate) fn key(&self, what: &str, turn: u32) -> String {
        if self.sent <= 1 { format!("{what}-{turn}") } else { format!("{what}-{turn}-{}", self.sent) }
    }
}
