//! The detection of repeated sequences of calls with the same results: A, B, A, B and so on (RULES L4).
//!
//! Repeats of a single call are counted separately. A sequence of several calls counts as repeated only if
//! each call returned the same result as before: a model that polls may see a new state.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use windlass_protocol::{CallId, ToolResult};

/// Longest sequence of calls that is detected.
const LONGEST: usize = 4;
/// Number of finished calls that are remembered.
const REMEMBERED: usize = 64;

/// A call with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EndedCall {
    fingerprint: String,
    is_ok: bool,
    digest: u64,
}

/// The newest calls and their results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// The calls of the present turn, which have no results yet.
    open: Vec<(CallId, String)>,
    /// The calls of earlier turns with a digest of their results, the newest last.
    ended: VecDeque<EndedCall>,
}

impl Rounds {
    /// Adds a call of the present turn.
    pub(crate) fn begin(&mut self, call: CallId, fingerprint: String) {
        self.open.push((call, fingerprint));
    }

    /// Adds the results of the present turn.
    pub(crate) fn end(&mut self, results: &[&ToolResult]) {
        for (call, fingerprint) in self.open.drain(..) {
            let Some(result) = results.iter().find(|result| result.call == call) else { continue };
            let mut digest = DefaultHasher::new();
            result.wire_text().hash(&mut digest);
            let (is_ok, digest) = (result.status.is_ok(), digest.finish());
            self.ended.push_back(EndedCall { fingerprint, is_ok, digest });
        }
        let surplus = self.ended.len().saturating_sub(REMEMBERED);
        self.ended.drain(..surplus);
    }

    /// Returns true if the newest two finished calls have this fingerprint, both succeeded, and their results
    /// differ.
    pub(crate) fn has_changed(&self, fingerprint: &str) -> bool {
        let mut newest = self.ended.iter().rev();
        let (Some(now), Some(before)) = (newest.next(), newest.next()) else { return false };
        [now, before].iter().all(|call| call.is_ok && call.fingerprint == fingerprint)
            && now.digest != before.digest
    }

    /// Returns the length of a sequence that was repeated `limit` times and that this call would start again.
    pub(crate) fn begins_another(&self, fingerprint: &str, limit: u32) -> Option<usize> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let newest = |back: usize| self.ended.len().checked_sub(back).and_then(|at| self.ended.get(at));
        (2..=LONGEST).find(|period| {
            let calls = period.saturating_mul(limit);
            let is_next = newest(*period).is_some_and(|next| next.fingerprint == fingerprint);
            let is_round =
                |back: usize| newest(back).is_some() && newest(back) == newest(back.saturating_add(*period));
            limit > 0
                && is_next
                && calls <= self.ended.len()
                && (1..=calls.saturating_sub(*period)).all(is_round)
        })
    }
}
