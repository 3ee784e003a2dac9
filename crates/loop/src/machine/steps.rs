//! The names of the work that effects request.

use super::Machine;
use crate::{Effect, Step, StepClass};

impl Machine {
    /// Returns the step that an effect requests; `None` for effects that only record, emit, announce or
    /// withdraw.
    ///
    /// ```
    /// use windlass_loop::{Config, Input, Machine, StepClass};
    /// let mut machine = Machine::new(Config::new("some-model", Vec::new()));
    /// let effects = machine.step(Input::Start { task: "say hello".into() }, 0);
    /// let steps: Vec<_> = effects.iter().filter_map(|effect| machine.step_of(effect)).collect();
    /// assert_eq!((steps[0].key.as_str(), steps[0].class), ("model-1", StepClass::Pure));
    /// ```
    pub fn step_of(&self, effect: &Effect) -> Option<Step> {
        let (key, class) = match effect {
            // A request changes nothing, and its answer only counts after it has been recorded.
            Effect::Send { .. } => {
                let what = if self.phase.is_condensing() { "summary" } else { "model" };
                (self.core.attempt_key(what), StepClass::Pure)
            }
            Effect::Decide(call) => (format!("judge-{}", call.id), StepClass::Pure),
            Effect::RunAhead { call, .. } => (format!("ahead-{}", call.id), StepClass::Pure),
            Effect::LookBack { call, .. } => (format!("look-back-{}", call.id), StepClass::Pure),
            Effect::Collect(call) => (format!("result-{}", call.id), StepClass::Idempotent),
            Effect::Ask(request) => (format!("approval-{}", request.call.id), StepClass::Idempotent),
            Effect::Consult { id, .. } => (format!("guidance-{}", id.number), StepClass::Idempotent),
            Effect::Run(call) => {
                let hints = self.core.config().hints(call.name.as_str());
                (format!("tool-{}", call.id), StepClass::of_call(hints))
            }
            _ => return None,
        };
        Some(Step { key, class, generation: self.core.generation() })
    }

    /// Returns the wait for the next deadline, which ends with `Input::Tick`, and the time of that deadline.
    pub fn timer(&self) -> Option<(Step, u64)> {
        let at_ms = self.next_deadline()?;
        let key = format!("timer-{at_ms}");
        Some((Step { key, class: StepClass::Idempotent, generation: self.core.generation() }, at_ms))
    }
}
