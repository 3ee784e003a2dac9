//! The counters that end a run without progress (RULES L3, L4).

use windlass_protocol::{Hints, ResultStatus, ToolCall, ToolResult};

use crate::rounds::Rounds;

/// The counters over the turns of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Number of answers requested.
    pub(crate) turns: u32,
    /// Number of consecutive turns with a mistake of the model and without a successful result.
    pub(crate) mistakes: u32,
    /// Number of consecutive instructions to use a tool.
    pub(crate) nudges: u32,
    last_call: Option<String>,
    /// True if the last call was read-only.
    is_reading: bool,
    repeats: u32,
    rounds: Rounds,
}

impl Progress {
    /// Counts a call and returns the number of consecutive equal calls, from 1. `end_turn` restarts the
    /// count if a read-only call returned another result than before. Each call of a tool that polls is the first.
    pub(crate) fn count(&mut self, call: &ToolCall, hints: Hints) -> u32 {
        let fingerprint = call.fingerprint();
        self.is_reading = hints.read_only;
        self.rounds.begin(call.id.clone(), fingerprint.clone());
        if !hints.polls && self.last_call.as_ref() == Some(&fingerprint) {
            self.repeats = self.repeats.saturating_add(1);
        } else {
            self.last_call = Some(fingerprint);
            self.repeats = 1;
        }
        self.repeats
    }

    /// Returns the length of a repeated sequence of calls that this call would start again.
    pub(crate) fn begins_round(&self, call: &ToolCall, limit: u32) -> Option<usize> {
        self.rounds.begins_another(&call.fingerprint(), limit)
    }

    /// Returns true if the call that was counted last has this fingerprint.
    pub(crate) fn is_last_call(&self, fingerprint: &str) -> bool {
        self.last_call.as_deref() == Some(fingerprint)
    }

    /// Counts the results of a turn. A successful result is progress; without one, a mistake of the model
    /// counts against the limit.
    pub(crate) fn end_turn(&mut self, results: &[&ToolResult]) {
        self.rounds.end(results);
        // A repeated read-only call is progress if its result changes.
        if self.is_reading && self.last_call.as_deref().is_some_and(|call| self.rounds.has_changed(call)) {
            self.repeats = 1;
        }
        self.nudges = 0;
        if results.iter().any(|result| result.status.is_ok()) {
            self.mistakes = 0;
        } else if results.iter().any(|result| is_mistake(result.status)) {
            self.mistakes = self.mistakes.saturating_add(1);
        }
    }

    /// Resets all counters except the number of turns, as after the human's guidance.
    pub(crate) fn forgive(&mut self) {
        *self = Self { turns: self.turns, ..Self::default() };
    }
}

/// Returns true if the status is a mistake of the model. A denial, a cancellation and a timeout are not.
fn is_mistake(status: ResultStatus) -> bool {
    match status {
        ResultStatus::Error
        | ResultStatus::TruncatedArguments
        | ResultStatus::InvalidArguments
        | ResultStatus::UnknownTool => true,
        ResultStatus::Ok
        | ResultStatus::Denied
        | ResultStatus::NotStarted
        | ResultStatus::Cancelled
        | ResultStatus::EffectsUnknown
        | ResultStatus::TimedOut => false,
    }
}
