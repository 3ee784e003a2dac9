//! The decisions of calls, including those of calls that ran while their answer streamed.

use windlass_hitl::{Decision, Facts, Verdict};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::Executing;
use crate::core::Core;
use crate::transition::Transition;
use crate::{CallDecision, Command, Entry, Event, SpeculativeOutcome, words};

impl Executing {
    pub(super) fn apply_decision(
        &mut self,
        core: &mut Core,
        id: &CallId,
        decision: CallDecision,
    ) -> Option<Transition> {
        if !self.find(id).is_some_and(|call| call.is_deciding()) {
            return None;
        }
        let (facts, decision, request) = match decision {
            CallDecision::Refused(result) => {
                self.end_call(core, ToolResult::new(id.clone(), result.status, result.content));
                return self.advance(core);
            }
            CallDecision::Decided { facts, decision, request } => (facts, decision, request),
        };
        let (verdict, reason) = (decision.verdict, decision.reason.clone());
        record_decision(core, id, *facts, decision);
        match (verdict, request) {
            (Verdict::Allow, _) => {
                self.run(core, id);
                None
            }
            (Verdict::Deny, _) => {
                let text = words::denial_text(&reason.rule_id, &reason.text);
                self.end_call(core, ToolResult::text(id.clone(), ResultStatus::Denied, text));
                self.advance(core)
            }
            (Verdict::Ask, Some(request)) => self.queue_approval(core, id, request),
            (Verdict::Ask, None) => self.deny_without_approver(core, id),
        }
    }

    /// Runs a call that policy or the human allowed. Its intent is recorded first.
    pub(super) fn run(&mut self, core: &mut Core, id: &CallId) {
        if let Some(call) = self.find(id)
            && call.run().is_ok()
        {
            core.record(Entry::Intent { call: id.clone() });
            core.emit(Command::Run(call.call().clone()));
        }
    }

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
        self.end_call(core, ToolResult::text(id.clone(), ResultStatus::Cancelled, words::CANCELLED));
        self.advance(core)
    }
}

fn record_decision(core: &mut Core, id: &CallId, facts: Facts, decision: Decision) {
    let facts = Some(Box::new(facts.strip_payload()));
    core.record(Entry::Decided { call: id.clone(), decision: decision.clone(), facts });
    core.show(Event::Decided { call: id.clone(), decision });
}

/// Records a call that has already run.
fn record_run(core: &mut Core, id: &CallId, facts: Facts, decision: Decision) {
    record_decision(core, id, facts, decision);
    core.record(Entry::Intent { call: id.clone() });
}
