//! Calls that run while their answer still streams.

use windlass_hitl::Verdict;
use windlass_loop::{CallDecision, HookPoint, Input, SpeculativeOutcome};
use windlass_protocol::ToolCall;

use super::CommandRunner;
use super::run_outcome::RunOutcome;

impl CommandRunner {
    /// Decides about a call whose answer still streams, and runs it if the policy allows it without a
    /// question.
    pub(super) fn run_ahead(&mut self, answer: u64, call: ToolCall) {
        // Hooks are called for calls of accepted answers only.
        let is_hooked = [HookPoint::Call, HookPoint::Result].iter().any(|point| self.parts.hooks.has(*point));
        if is_hooked || self.guard.route(&call).is_err() {
            let outcome = Box::new(SpeculativeOutcome::NotBegun);
            return self.send_back(Input::Speculative { answer, call: call.id, outcome });
        }
        let decision = self.start_decision(call.clone());
        let ctx = self.context(&call.id).with_cancellation(self.ahead.child_token());
        let running = self.run_call(call.clone(), ctx);
        // The call only reads, so it can be started again later.
        let outcome = Box::new(SpeculativeOutcome::NotBegun);
        let otherwise = Input::Speculative { answer, call: call.id.clone(), outcome };
        self.start(otherwise, async move {
            let id = call.id;
            let outcome = match decision.await {
                CallDecision::Decided { facts, decision, .. } if decision.verdict == Verdict::Allow => {
                    match running.await {
                        RunOutcome::Ended(result) => SpeculativeOutcome::Ran { facts, decision, result },
                        // The machine runs the call again after it has recorded the answer.
                        RunOutcome::Deferred => SpeculativeOutcome::NotBegun,
                        RunOutcome::Fatal(message) => SpeculativeOutcome::Fatal { facts, decision, message },
                    }
                }
                other => SpeculativeOutcome::Decided(other),
            };
            Input::Speculative { answer, call: id, outcome: Box::new(outcome) }
        });
    }
}
