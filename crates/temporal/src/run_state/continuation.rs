//! The end of a run, and its continuation in another workflow.

use windlass_loop::Machine;

use super::RunState;
use super::work::Work;
use crate::data::{CarriedRun, RunInput};
use crate::{EventPage, RunReport};

/// The number of events that a run takes along when it continues as a new workflow.
const CARRIED_EVENTS: usize = 200;

impl RunState {
    /// Returns true if the only next action is a request to the model, so that the run can continue in
    /// another workflow, and the history is long enough for that.
    pub(crate) fn can_continue_as_new(&self, is_suggested: bool) -> bool {
        let turns = self.machine.as_ref().map_or(0, |machine| machine.turn().saturating_sub(self.first_turn));
        let limit = self.input.settings.turns_per_history;
        let is_due = is_suggested || (limit > 0 && turns > limit);
        let is_between_turns =
            self.steps.len() == 1 && self.steps.iter().all(|step| matches!(step.work, Work::Send { .. }));
        is_due && is_between_turns && self.changes.is_empty()
    }

    /// Returns the input of the workflow that continues the run.
    pub(crate) fn to_carried_input(&self) -> Option<RunInput> {
        let skipped = self.events.len().saturating_sub(CARRIED_EVENTS);
        let first = self.first_event.saturating_add(skipped as u64);
        let events = EventPage { first, events: self.events.iter().skip(skipped).cloned().collect() };
        let carried = CarriedRun {
            definition: self.definition.clone()?,
            record: self.record.clone(),
            scope: self.scope.clone(),
            events,
            results: self.results.clone(),
            letters: self.letters.iter().cloned().collect(),
        };
        Some(RunInput {
            task: self.input.task.clone(),
            settings: self.input.settings.clone(),
            carried: Some(Box::new(carried)),
        })
    }

    /// Returns the report if the run has ended.
    pub(crate) fn report(&self) -> Option<RunReport> {
        let outcome = self.outcome.clone().filter(|_| !self.is_suspended())?;
        let used = self.machine.as_ref().map(Machine::used).unwrap_or_default();
        Some(RunReport { outcome, used, entries: self.record.len() as u64 })
    }
}
