//! The names of the work that commands request.

use windlass_protocol::CallId;

use super::Machine;
use crate::{Command, Step, StepClass};

impl Machine {
    /// Returns the step that a command requests; `None` for commands that only record, emit, announce or
    /// withdraw.
    ///
    /// ```
    /// use windlass_loop::{Config, Input, Machine, StepClass};
    /// let mut machine = Machine::new(Config::new("some-model", Vec::new()));
    /// let commands = machine.step(Input::Start { task: "say hello".into() }, 0);
    /// let steps: Vec<_> = commands.iter().filter_map(|command| machine.step_of(command)).collect();
    /// assert_eq!((steps[0].key.as_str(), steps[0].class), ("model-1", StepClass::Pure));
    /// ```
    pub fn step_of(&self, command: &Command) -> Option<Step> {
        let (key, class) = match command {
            // A request changes nothing, and its answer only counts after it has been recorded.
            Command::Send { .. } => {
                let what = if self.phase.is_condensing() { "summary" } else { "model" };
                (self.core.attempt_key(what), StepClass::Pure)
            }
            Command::Decide(call) => (self.name_decision("judge", &call.id), StepClass::Pure),
            Command::RunSpeculatively { call, .. } => (format!("ahead-{}", call.id), StepClass::Pure),
            Command::Reconcile { call, .. } => (format!("look-back-{}", call.id), StepClass::Pure),
            Command::Collect(call) => (format!("result-{}", call.id), StepClass::Idempotent),
            Command::Ask(request) => {
                (self.name_decision("approval", &request.call.id), StepClass::Idempotent)
            }
            Command::Interrupt { id, .. } => (format!("guidance-{}", id.number), StepClass::Idempotent),
            Command::Run(call) => {
                let hints = self.core.config().hints(call.name.as_str());
                (format!("tool-{}", call.id), StepClass::from_hints(hints))
            }
            _ => return None,
        };
        Some(Step { key, class, generation: self.core.generation() })
    }

    /// Returns true if the machine waits for a summary of the turns that it will remove, so that the newest
    /// [`Command::Send`] requests it.
    pub fn is_summarizing(&self) -> bool {
        self.phase.is_condensing()
    }

    /// Returns the key of a step that is repeated after each change of the call's arguments.
    fn name_decision(&self, what: &str, call: &CallId) -> String {
        match self.phase.count_edits(call) {
            0 => format!("{what}-{call}"),
            edits => format!("{what}-{call}-edit-{edits}"),
        }
    }

    /// Returns the wait for the next deadline, which ends with `Input::Tick`, and the time of that deadline.
    pub fn timer(&self) -> Option<(Step, u64)> {
        let at_ms = self.next_deadline()?;
        let key = format!("timer-{at_ms}");
        Some((Step { key, class: StepClass::Idempotent, generation: self.core.generation() }, at_ms))
    }
}
