//! What is counted, so that a run that goes in circles ends (RULES L3, L4).

use windlass_protocol::{ResultStatus, ToolCall, ToolResult};

use crate::rounds::Rounds;

/// What is counted over the turns of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Answers asked for.
    pub(crate) turns: u32,
    /// How often the present answer was asked for again.
    pub(crate) attempts: u32,
    /// Turns in a row that brought nothing but mistakes.
    pub(crate) mistakes: u32,
    /// Times in a row that the model was told to use a tool.
    pub(crate) nudges: u32,
    last_call: Option<String>,
    /// Whether the last call reads only.
    is_reading: bool,
    repeats: u32,
    rounds: Rounds,
}

impl Progress {
    /// Counts a call, and returns how often in a row it was made, from 1. A call that reads only and gets another answer
    /// than before begins a new row (see `judge_turn`).
    pub(crate) fn count(&mut self, call: &ToolCall, is_read_only: bool) -> u32 {
        let fingerprint = call.fingerprint();
        self.is_reading = is_read_only;
        self.rounds.begin(call.id.clone(), fingerprint.clone());
        if self.last_call.as_ref() == Some(&fingerprint) {
            self.repeats = self.repeats.saturating_add(1);
        } else {
            self.last_call = Some(fingerprint);
            self.repeats = 1;
        }
        self.repeats
    }

    /// Whether a call would begin another round of the same calls with the same results, and of how many calls.
    pub(crate) fn begins_round(&self, call: &ToolCall, limit: u32) -> Option<usize> {
        self.rounds.begins_another(&call.fingerprint(), limit)
    }

    /// Whether the last call that was counted is this one.
    pub(crate) fn made_last(&self, fingerprint: &str) -> bool {
        self.last_call.as_deref() == Some(fingerprint)
    }

    /// Looks at the results of a turn: one that is ok is progress, none but the model's own mistakes is not.
    pub(crate) fn judge_turn(&mut self, results: &[&ToolResult]) {
        self.rounds.end(results);
        // Polling is progress as long as the answer changes.
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

    /// Starts counting afresh, as after the human's guidance.
    pub(crate) fn forgive(&mut self) {
        *self = Self { turns: self.turns, ..Self::default() };
    }
}

/// Whether the model could have known better. A no of the human, a cancellation and a timeout are not its fault.
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
