//! Calls that go round in circles: A, B, A, B and so on, with the same results each time (RULES L4).
//!
//! One call that is made again and again is counted by itself. A round of several calls is one only if each brings what it
//! brought before: a model that looks at something, waits, and looks again may see something new.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use windlass_protocol::{CallId, ToolResult};

/// How many calls a round may have to be seen as one.
const LONGEST: usize = 4;
/// How many calls are remembered, at the most.
const REMEMBERED: usize = 64;

/// A call that has its result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ended {
    fingerprint: String,
    is_ok: bool,
    digest: u64,
}

/// The newest calls and what came of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// The calls of the present turn.
    open: Vec<(CallId, String)>,
    /// Those of earlier turns with a digest of their results, the newest last.
    ended: VecDeque<Ended>,
}

impl Rounds {
    /// A call is made.
    pub(crate) fn begin(&mut self, call: CallId, fingerprint: String) {
        self.open.push((call, fingerprint));
    }

    /// The turn has its results.
    pub(crate) fn end(&mut self, results: &[&ToolResult]) {
        for (call, fingerprint) in self.open.drain(..) {
            let Some(result) = results.iter().find(|result| result.call == call) else { continue };
            let mut digest = DefaultHasher::new();
            result.wire_text().hash(&mut digest);
            let (is_ok, digest) = (result.status.is_ok(), digest.finish());
            self.ended.push_back(Ended { fingerprint, is_ok, digest });
        }
        let surplus = self.ended.len().saturating_sub(REMEMBERED);
        self.ended.drain(..surplus);
    }

    /// Whether the newest two calls are this one, both succeeded, and the second brought another result than the first.
    pub(crate) fn has_changed(&self, fingerprint: &str) -> bool {
        let mut newest = self.ended.iter().rev();
        let (Some(now), Some(before)) = (newest.next(), newest.next()) else { return false };
        [now, before].iter().all(|call| call.is_ok && call.fingerprint == fingerprint)
            && now.digest != before.digest
    }

    /// Whether a call would begin one more round after `limit` equal ones, and of how many calls a round is.
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
