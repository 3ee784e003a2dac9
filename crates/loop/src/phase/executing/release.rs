//! Calls that wait for their siblings: a change of the mode, the last call of an answer, the completion.

use windlass_protocol::{Control, ResultStatus, ToolCall, ToolResult};

use super::{Slot, State};
use crate::machine::{Machine, Phase};
use crate::{Effect, Event, words};

impl Machine {
    /// Releases the calls that no earlier call blocks. A change of the mode waits for the calls before it,
    /// and the calls after it wait for the change, so that each call is judged and run in the mode that it
    /// was made for (RULES L11). Completions and calls that end their answer are not released here.
    pub(super) fn release(&mut self) {
        let Phase::Executing(execution) = &mut self.phase else { return };
        let (mut is_open, mut is_changing) = (false, false);
        let mut released = Vec::new();
        for slot in &mut execution.slots {
            let may_go = match slot.control {
                Control::Completion | Control::Last => continue,
                Control::ModeSwitch => !is_open,
                _ => !is_changing,
            };
            if slot.state == State::Held && may_go {
                slot.state = State::Judging;
                released.push(slot.call.clone());
            }
            let waits = slot.result().is_none();
            is_open |= waits;
            is_changing |= waits && slot.control == Control::ModeSwitch;
        }
        for call in released {
            self.want(Effect::Decide(call));
        }
    }

    /// Releases the completion, or a call that ends its answer, after all other calls have ended. A
    /// completion is refused unless it is the last call and its siblings succeeded (RULES L1, L2); a call
    /// that ends its answer starts independent of its siblings' results (L12).
    pub(super) fn release_held(&mut self) {
        let Phase::Executing(execution) = &mut self.phase else { return };
        let waits = |slot: &Slot| slot.result().is_none() && slot.state != State::Held;
        if execution.slots.iter().any(waits) {
            return;
        }
        let last = execution.slots.len().saturating_sub(1);
        let failed = execution.slots.iter().enumerate().any(|(position, slot)| match slot.result() {
            Some(result) => !result.status.is_ok(),
            // A completion that is not the last call is refused below.
            None => position != last,
        });
        let held: Vec<_> = execution
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.state == State::Held)
            .map(|(position, slot)| (position == last, slot.call.clone()))
            .collect();
        for (is_last, call) in held {
            let control = self.config.hints(call.name.as_str()).control;
            let refusal = match (control, is_last, failed) {
                (Control::Completion, false, _) => words::COMPLETION_NOT_LAST,
                (Control::Completion, true, true) => words::COMPLETION_SIBLING_FAILED,
                _ => {
                    if control == Control::Completion {
                        let (id, text) = (call.id.clone(), completion_text(&call));
                        self.show(Event::CompletionProposed { call: id, text });
                    }
                    self.set(&call.id, State::Judging);
                    self.want(Effect::Decide(call));
                    continue;
                }
            };
            self.end_call(ToolResult::text(call.id, ResultStatus::Error, refusal));
        }
    }

    /// Returns the completion's text if the completion was accepted.
    pub(super) fn completion(&self, slots: &[Slot]) -> Option<String> {
        let last = slots.last()?;
        let accepted = last.result().is_some_and(|result| result.status.is_ok());
        let is_completion = self.config.hints(last.call.name.as_str()).control == Control::Completion;
        (accepted && is_completion).then(|| completion_text(&last.call))
    }
}

/// Returns the `result` argument of a completion; empty if the call has none.
pub(crate) fn completion_text(call: &ToolCall) -> String {
    let words = call.arguments().and_then(|arguments| arguments.get("result"));
    words.and_then(|words| words.as_str()).unwrap_or_default().to_owned()
}
