//! Calls that start, or are refused, before the end of their answer.

use windlass_assemble::CallIndex;
use windlass_protocol::ToolCall;

use super::Streaming;
use crate::core::Core;
use crate::speculative_calls::is_harmless;
use crate::transition::Transition;
use crate::{Command, EarlyRefusal, Event};

impl Streaming {
    /// Starts a complete call while its answer streams, if that is safe.
    pub(super) fn start_early(&mut self, core: &mut Core, key: CallIndex, call: ToolCall) {
        if self.speculative.is_closed() {
            return;
        }
        let fingerprint = call.fingerprint();
        // A repeated call may be refused.
        let is_new = !core.progress().is_last_call(&fingerprint) && !self.speculative.contains(&fingerprint);
        if self.early.streams_before(key) || !is_new || !is_harmless(core.config(), &call) {
            return self.speculative.close();
        }
        self.speculative.push(call.id.clone(), fingerprint);
        core.emit(Command::RunSpeculatively { answer: self.speculative.answer(), call });
    }

    /// Refuses a call that still streams. If every call that streams is refused, the answer is stopped, and
    /// its complete calls run.
    pub(super) fn refuse_early(
        &mut self,
        core: &mut Core,
        answer: u64,
        key: CallIndex,
        refusal: EarlyRefusal,
    ) -> Option<Transition> {
        let problem = self.early.refuse(answer, key, refusal)?;
        let call = self.ids.choose(core, key, None);
        core.show(Event::CallRefusedEarly { call, problem });
        if !self.early.is_hopeless() {
            return None;
        }
        core.emit(Command::CloseStream);
        // The machine itself stopped the answer, so its missing end is not a failure.
        Some(self.take_answer(core).evaluate(core))
    }
}
