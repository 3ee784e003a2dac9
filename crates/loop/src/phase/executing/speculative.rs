//! The outcomes of calls that started while their answer streamed.

use windlass_hitl::{Decision, PolicyInput};
use windlass_protocol::{CallId, ResultStatus};

use super::Executing;
use super::decisions::record_decision;
use crate::core::Core;
use crate::transition::Transition;
use crate::{CallDecision, Entry, SpeculativeOutcome, words};

impl Executing {
    /// Applies the outcome of a call that started while its answer streamed, after the answer was accepted,
    /// and records it as if the call had run now.
    pub(super) fn apply_speculative(
        &mut self,
        core: &mut Core,
        id: &CallId,
        outcome: SpeculativeOutcome,
    ) -> Option<Transition> {
        let is_stopping = self.is_stopping();
        let call = self.find(id).filter(|call| call.is_speculative())?;
        match outcome {
            SpeculativeOutcome::NotBegun if is_stopping => self.cancel_call(core, id),
            SpeculativeOutcome::NotBegun => {
                call.hold().ok()?;
                self.advance(core)
            }
            SpeculativeOutcome::Decided(CallDecision::Decided { .. }) if is_stopping => {
                self.cancel_call(core, id)
            }
            SpeculativeOutcome::Decided(decision) => {
                // From now on the call is treated like the others.
                call.await_decision().ok()?;
                self.apply_decision(core, id, decision)
            }
            SpeculativeOutcome::Ran { facts, decision, mut result } => {
                call.adopt().ok()?;
                record_run(core, id, *facts, decision);
                result.call.clone_from(id);
                self.apply_result(core, result)
            }
            SpeculativeOutcome::Fatal { facts, decision, message } => {
                call.adopt().ok()?;
                record_run(core, id, *facts, decision);
                self.fail(core, id, message)
            }
        }
    }

    fn cancel_call(&mut self, core: &mut Core, id: &CallId) -> Option<Transition> {
        self.end_call(core, words::CANCELLED.to_result(id.clone(), ResultStatus::Cancelled));
        self.advance(core)
    }
}

/// Records a call that has already run.
fn record_run(core: &mut Core, id: &CallId, facts: PolicyInput, decision: Decision) {
    record_decision(core, id, facts, decision);
    core.record(Entry::Intent { call: id.clone() });
}
