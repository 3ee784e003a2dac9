//! Calls that come after all other calls of their answer: the completion, and a call that ends its answer.

use windlass_protocol::{Control, ResultStatus, ToolCall};

use super::Executing;
use crate::completion::completion_text;
use crate::core::Core;
use crate::words::ResultText;
use crate::{Command, Event, words};

impl Executing {
    /// Releases the completion, or a call that ends its answer, after all other calls have ended. A
    /// completion is refused unless it is the last call and its siblings succeeded (RULES L1, L2); a call
    /// that ends its answer starts independent of its siblings' results (L12).
    pub(super) fn release_last(&mut self, core: &mut Core) {
        if self.calls.iter().any(|call| call.is_open() && !call.is_held()) {
            return;
        }
        let last = self.calls.len().saturating_sub(1);
        let has_failed = self.calls.iter().enumerate().any(|(position, call)| match call.result() {
            Some(result) => !result.status.is_ok(),
            // A completion that is not the last call is refused below.
            None => position != last,
        });
        let held: Vec<_> = self
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.is_held())
            .map(|(position, call)| (position == last, call.control(), call.call().clone()))
            .collect();
        for (is_last, control, call) in held {
            match refuse_completion(control, is_last, has_failed) {
                Some(refusal) => {
                    self.end_call(core, refusal.to_result(call.id, ResultStatus::Error));
                }
                None => self.decide_last(core, control, call),
            }
        }
    }

    fn decide_last(&mut self, core: &mut Core, control: Control, call: ToolCall) {
        if self.find(&call.id).is_none_or(|held| held.await_decision().is_err()) {
            return;
        }
        if control.is_completion() {
            let text = completion_text(control, &call);
            core.show(Event::CompletionProposed { call: call.id.clone(), text });
        }
        core.emit(Command::Decide(call));
    }

    /// Returns the completion's text if the completion was accepted.
    pub(super) fn completion(&self) -> Option<String> {
        let last = self.calls.last()?;
        let is_accepted = last.result().is_some_and(|result| result.status.is_ok());
        let control = last.control();
        (is_accepted && control.is_completion()).then(|| completion_text(control, last.call()))
    }
}

/// Returns the reason to refuse a completion; `None` for other calls.
fn refuse_completion(control: Control, is_last: bool, has_failed: bool) -> Option<ResultText> {
    match (control, is_last, has_failed) {
        (Control::Completion | Control::Answer, false, _) => Some(words::COMPLETION_NOT_LAST),
        (Control::Completion | Control::Answer, true, true) => Some(words::COMPLETION_SIBLING_FAILED),
        _ => None,
    }
}
