//! The outcome of a run: its output, its failure, or the steps that wait.

use serde_json::{Value, json};

use super::{Instance, Machine, State};
use crate::{StepKey, WaitingStep, WorkflowOutcome};

impl Machine {
    pub(super) fn failure_of(&self, at: usize) -> WorkflowOutcome {
        let step = self.steps.get(at);
        let message = step.and_then(|step| match &step.state {
            State::Ended(ended) => ended.error.clone(),
            _ => None,
        });
        WorkflowOutcome::Failed {
            step: step.map_or_else(StepKey::root, |step| step.key.clone()),
            message: message.unwrap_or_default(),
        }
    }

    pub(super) fn output(&self) -> WorkflowOutcome {
        let output = match &self.plan.output {
            Some(filling) => filling.fill(&|path| self.look(0, path)),
            None => Ok(self.scopes.first().map_or(Value::Null, |scope| self.outputs(scope))),
        };
        match output {
            Ok(output) => WorkflowOutcome::Completed { output },
            Err(error) => {
                WorkflowOutcome::Failed { step: StepKey::root().child("output"), message: error.to_string() }
            }
        }
    }

    pub(super) fn waits(&self) -> Vec<WaitingStep> {
        let waits = self.steps.iter().filter_map(|step| match &step.state {
            State::Suspended(waits) => Some((&step.key, waits)),
            _ => None,
        });
        waits
            .flat_map(|(key, waits)| waits.iter().map(|wait| WaitingStep::new(key.clone(), wait.clone())))
            .collect()
    }
}

impl Instance {
    /// Returns the fields that paths can read from a step that has ended.
    pub(super) fn view(&self) -> Value {
        match &self.state {
            State::Ended(ended) => {
                json!({"status": ended.status, "output": ended.output, "error": ended.error})
            }
            _ => Value::Null,
        }
    }
}
