//! Names and classes of the work that effects request, for durable engines that must know whether work may be
//! repeated after a crash (DESIGN "Where it runs").

use serde::{Deserialize, Serialize};

use crate::Effect;
use crate::machine::{Machine, Phase};

/// The name and the class of the work that an effect requests. The effect itself is the description of the
/// work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// The key of the step in its run, the same in every process: `model-3`, `model-3-2` for the second
    /// attempt at that answer, `guidance-1`, `tool-CALL`, `approval-CALL`, `judge-CALL` and so on.
    pub key: String,
    /// The repeatability of the step after a crash.
    pub class: StepClass,
    /// The number of times that another process had resumed the run. It is a fencing token: if two processes
    /// execute the same step, as after a failover, refuse the one with the lower number.
    pub generation: u32,
}

/// The repeatability of a step that started and whose completion is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "every driver has to know all of them")]
pub enum StepClass {
    /// The step changes nothing and can be repeated.
    Pure,
    /// The step is idempotent, because it only waits for an answer or keeps a record of its own.
    Idempotent,
    /// The step must not be repeated. The machine inspects the files or reports unknown effects.
    Once,
}

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

    /// Returns the wait for the next deadline, which ends with `Input::Tick`, and the time of that deadline.
    pub fn timer(&self) -> Option<(Step, u64)> {
        let at_ms = self.next_deadline()?;
        let key = format!("timer-{at_ms}");
        Some((Step { key, class: StepClass::Idempotent, generation: self.generation }, at_ms))
    }
}
