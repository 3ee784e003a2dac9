//! Calls that run while their answer still streams (RULES L6, DESIGN "Early start").
//!
//! Only read-only calls run early: if the answer breaks off, it is void (S10), and their results are
//! discarded. Only the first calls of an answer run early, because a call that changes something must run
//! after the calls before it and before the calls after it; the first call that cannot run early therefore
//! ends the early start.

use windlass_protocol::{CallId, Concurrency, Control, ToolCall};

use crate::{CallStart, Config, SpeculativeOutcome};

/// The calls that started before the end of their answer, in call order.
#[derive(Debug, Default)]
pub(crate) struct SpeculativeCalls {
    answer: u64,
    calls: Vec<SpeculativeCall>,
    is_closed: bool,
}

#[derive(Debug)]
struct SpeculativeCall {
    id: CallId,
    fingerprint: String,
    /// True if policy allowed the call without a question, so that it runs.
    runs: bool,
    /// The outcome of the call, after the driver has reported it.
    outcome: Option<SpeculativeOutcome>,
}

impl SpeculativeCalls {
    /// Creates an empty list for the answer with this number.
    pub(crate) fn new(answer: u64) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Returns the number of the answer; 0 for an answer from a record.
    pub(crate) fn answer(&self) -> u64 {
        self.answer
    }

    /// Returns true if no further call of the answer may start early.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Ends the early start: the later calls of the answer wait for its end.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Returns true if a call with this fingerprint has started.
    pub(crate) fn contains(&self, fingerprint: &str) -> bool {
        self.calls.iter().any(|call| call.fingerprint == fingerprint)
    }

    /// Adds a call that starts.
    pub(crate) fn push(&mut self, id: CallId, fingerprint: String) {
        self.calls.push(SpeculativeCall { id, fingerprint, runs: false, outcome: None });
    }

    /// Returns true if the call runs and false if it only waits for a decision; `None` if it did not start
    /// early.
    pub(crate) fn runs(&self, id: &CallId) -> Option<bool> {
        self.calls.iter().find(|call| call.id == *id).map(|call| call.runs)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Marks a call as running.
    pub(crate) fn mark_running(&mut self, id: &CallId) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == *id) {
            call.runs = true;
        }
    }

    /// Stores the first outcome of a call.
    pub(crate) fn set_outcome(&mut self, id: &CallId, outcome: SpeculativeOutcome) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == *id) {
            call.outcome.get_or_insert(outcome);
        }
    }

    /// Returns the calls with a reported outcome, in call order.
    pub(crate) fn into_outcomes(self) -> impl Iterator<Item = (CallId, SpeculativeOutcome)> {
        self.calls.into_iter().filter_map(|call| Some((call.id, call.outcome?)))
    }
}

/// Returns true if the call can run for an answer that may become void: it is read-only, does not access
/// external systems, runs in parallel with others and does not control the run.
pub(crate) fn is_harmless(config: &Config, call: &ToolCall) -> bool {
    let hints = config.hints(call.name.as_str());
    config.call_start == CallStart::Early
        && hints.read_only
        && !hints.open_world
        && hints.concurrency == Concurrency::Parallel
        && hints.control == Control::None
}
