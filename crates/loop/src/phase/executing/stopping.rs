//! The end of all calls, because the run was cancelled or a call failed it.

use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::Executing;
use crate::Command;
use crate::call_state::Call;
use crate::core::Core;
use crate::transition::Transition;

impl Executing {
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
}
