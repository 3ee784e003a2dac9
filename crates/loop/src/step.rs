//! The pieces of work that the machine wants, each under a name of its own: what a durable engine has to know of an effect
//! to do it, or not to do it again (DESIGN "Where it runs").

use serde::{Deserialize, Serialize};

use crate::Effect;
use crate::machine::{Machine, Phase};

/// A piece of work. What is to be done is the effect, which is data; this says what it is called and what becomes of it if
/// whoever does it is gone in the middle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// Its name in the run, the same in every process: `model-3`, `model-3-2` for the second attempt at that answer,
    /// `guidance-1`, `tool-CALL`, `approval-CALL`, `judge-CALL` …
    pub key: String,
    /// What becomes of it after a crash.
    pub class: StepClass,
    /// How often the run was taken up by another process before. Of two that do the same step at the same time, as after a
    /// fail-over, the one with the lower number is to be refused.
    pub generation: u32,
}

/// What becomes of a step that was begun, and of which nobody knows whether it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "every driver has to know all of them")]
pub enum StepClass {
    /// It changes nothing: it is done again.
    Pure,
    /// Doing it again does what doing it once does: it waits for somebody, or keeps a record of its own.
    Idempotent,
    /// It is not done again. What is left of it is looked at, or its effects are unknown.
    Once,
}

impl Machine {
    /// The step that an effect asks for; nothing for one that is only told, written down or called off.
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
            // Asking costs and changes nothing; what came of it counts when it is written down.
            Effect::Send { .. } if matches!(self.phase, Phase::Condensing(_)) => {
                (self.attempt_key("summary"), StepClass::Pure)
            }
            Effect::Send { .. } => (self.attempt_key("model"), StepClass::Pure),
            Effect::Decide(call) => (format!("judge-{}", call.id), StepClass::Pure),
            Effect::RunAhead { call, .. } => (format!("ahead-{}", call.id), StepClass::Pure),
            Effect::LookBack { call, .. } => (format!("look-back-{}", call.id), StepClass::Pure),
            Effect::Collect(call) => (format!("result-{}", call.id), StepClass::Idempotent),
            Effect::Ask(request) => (format!("approval-{}", request.call.id), StepClass::Idempotent),
            Effect::Consult { id, .. } => (format!("guidance-{}", id.number), StepClass::Idempotent),
            Effect::Run(call) => {
                let hints = self.config.hints(call.name.as_str());
                let class = if hints.read_only {
                    StepClass::Pure
                } else if hints.resumable {
                    StepClass::Idempotent
                } else {
                    StepClass::Once
                };
                (format!("tool-{}", call.id), class)
            }
            _ => return None,
        };
        Some(Step { key, class, generation: self.generation })
    }

    fn attempt_key(&self, what: &str) -> String {
        let turn = self.progress.turns;
        if self.sent <= 1 { format!("{what}-{turn}") } else { format!("{what}-{turn}-{}", self.sent) }
    }

    /// The wait for the next deadline, if there is one: it ends with `Input::Tick`.
    pub fn timer(&self) -> Option<(Step, u64)> {
        let at_ms = self.next_deadline()?;
        let key = format!("timer-{at_ms}");
        Some((Step { key, class: StepClass::Idempotent, generation: self.generation }, at_ms))
    }
}
