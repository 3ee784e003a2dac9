//! The results of calls, and the end of the phase.

use windlass_protocol::{CallId, Control, ResultStatus, ToolResult};

use super::Executing;
use crate::call_state::Call;
use crate::completion::completion_text;
use crate::core::Core;
use crate::phase::turn;
use crate::transition::Transition;
use crate::{Command, InterruptReason, Outcome, StopCause};

impl Executing {
    /// Applies the result of a call that runs, here or elsewhere.
    pub(super) fn apply_result(&mut self, core: &mut Core, result: ToolResult) -> Option<Transition> {
        if !self.find(&result.call).is_some_and(|call| call.is_running() || call.is_deferred()) {
            return None;
        }
        self.end_call(core, result);
        self.advance(core)
    }

    /// Ends the run with an error of a call, after the running calls have ended.
    pub(super) fn fail(&mut self, core: &mut Core, id: &CallId, message: String) -> Option<Transition> {
        // A call can also fail the run during its lookup, which is part of the decision.
        if !self.find(id).is_some_and(|call| call.is_running() || call.is_deciding()) {
            return None;
        }
        self.end_call(core, ToolResult::text(id.clone(), ResultStatus::Error, message.clone()));
        self.fatal.get_or_insert(message);
        self.stop_calls(core)
    }

    /// Cancels the run after the running calls have ended.
    pub(super) fn cancel(&mut self, core: &mut Core) -> Option<Transition> {
        if std::mem::replace(&mut self.is_cancelled, true) {
            return None;
        }
        self.stop_calls(core)
    }

    /// Ends every call that does not run yet (RULES H16, L7). The calls that run still report their results.
    fn stop_calls(&mut self, core: &mut Core) -> Option<Transition> {
        core.clear_approvals();
        let results: Vec<_> = self.calls.iter().filter_map(Call::result_on_stop).collect();
        for result in results {
            self.end_call(core, result);
        }
        core.emit(Command::Abort);
        self.advance(core)
    }

    /// Releases held calls whose siblings have ended, and ends the phase when every call has its result.
    pub(super) fn advance(&mut self, core: &mut Core) -> Option<Transition> {
        self.release(core);
        self.release_last(core);
        if self.calls.iter().any(Call::is_open) {
            return self.suspend_if_idle();
        }
        let results: Vec<_> = self.calls.iter().filter_map(Call::result).collect();
        core.end_turn(&results);
        Some(self.end(core))
    }

    fn end(&mut self, core: &mut Core) -> Transition {
        if let Some(message) = self.fatal.take() {
            return Transition::End(Outcome::Failed { message });
        }
        if let Some(text) = self.completion() {
            return turn::complete(core, text, self.is_cancelled);
        }
        if self.is_cancelled {
            return Transition::stop(StopCause::Cancelled);
        }
        match core.mistakes_question() {
            Some(question) => Transition::Interrupt { reason: InterruptReason::Mistakes, question },
            None => Transition::NextTurn,
        }
    }

    /// Returns the completion's text if the completion was accepted.
    fn completion(&self) -> Option<String> {
        let last = self.calls.last()?;
        let is_accepted = last.result().is_some_and(|result| result.status.is_ok());
        (is_accepted && last.control() == Control::Completion).then(|| completion_text(last.call()))
    }
}
