//! Calls and answers outside this process: calls that continue elsewhere, calls that an earlier process
//! started, and the suspension of a run that waits for them (DESIGN "Suspend anywhere, resume anywhere").

use windlass_protocol::{CallId, ReconcileOutcome, ResultStatus, ToolCall};

use super::Executing;
use crate::call_state::Call;
use crate::core::{Core, RestoredState};
use crate::transition::Transition;
use crate::words::ResultText;
use crate::{Command, Entry, Event, Outcome, Wait, words};

impl Executing {
    /// Marks a running call as one that continues outside this process. If the run is stopping, the call ends
    /// with unknown effects.
    pub(super) fn defer(&mut self, core: &mut Core, id: &CallId) -> Option<Transition> {
        let is_stopping = self.is_stopping();
        let call = self.find(id).filter(|call| call.is_running())?;
        if is_stopping {
            let text = words::CANCELLED_ELSEWHERE;
            self.end_call(core, text.to_result(id.clone(), ResultStatus::EffectsUnknown));
        } else {
            call.defer().ok()?;
            core.record(Entry::Deferred { call: id.clone() });
            core.show(Event::CallDeferred { call: id.clone() });
        }
        self.advance(core)
    }

    /// Leaves an approval request open for another process. The record does not get an answer to it (DESIGN
    /// "Suspend anywhere, resume anywhere").
    pub(super) fn postpone_approval(
        &mut self,
        core: &mut Core,
        id: &CallId,
        request_id: String,
    ) -> Option<Transition> {
        self.find(id)?.postpone(request_id.clone()).ok()?;
        core.show(Event::ApprovalPostponed { request_id });
        self.advance(core)
    }

    /// Continues the calls of an answer from a record.
    pub(crate) fn resume(&mut self, core: &mut Core, mut restored: RestoredState) -> Option<Transition> {
        self.recorded = std::mem::take(&mut restored.approvals);
        for call in &self.calls {
            core.show(Event::CallTakenUp { call: call.call().clone() });
        }
        for (call, edit) in std::mem::take(&mut restored.edits) {
            self.restore_edit(core, &call, edit);
        }
        for result in std::mem::take(&mut restored.refused) {
            self.end_call(core, result);
        }
        let calls: Vec<ToolCall> = self.calls.iter().map(|call| call.call().clone()).collect();
        for call in calls {
            self.resume_call(core, call, &mut restored);
        }
        self.advance(core)
    }

    /// Decides how a call without a recorded result continues.
    fn resume_call(&mut self, core: &mut Core, call: ToolCall, restored: &mut RestoredState) {
        let hints = core.config().hints(call.name.as_str());
        let Some(held) = self.find(&call.id).filter(|call| call.is_held()) else { return };
        // A read-only call and a completion change nothing.
        let runs_again = hints.read_only || hints.control.is_completion();
        // A resumable call keeps its own record and continues from it.
        let runs_again = runs_again || hints.resumable;
        if restored.deferred.contains(&call.id) && !hints.resumable {
            if held.collect().is_ok() {
                core.emit(Command::Collect(call));
            }
        } else if !restored.started.contains(&call.id) || runs_again {
            // The call stays held: policy decides about it again, because the conditions may have changed.
        } else if let Some(planned) = restored.planned.remove(&call.id).filter(|planned| !planned.is_empty())
        {
            if held.reconcile().is_ok() {
                core.emit(Command::Reconcile { call, planned });
            }
        } else {
            self.end_with_unknown_effects(core, &call.id, &words::EFFECTS_UNKNOWN);
        }
    }

    /// Applies the comparison of the files with the plan of an interrupted call.
    pub(super) fn apply_reconciliation(
        &mut self,
        core: &mut Core,
        id: &CallId,
        outcome: &ReconcileOutcome,
    ) -> Option<Transition> {
        let call = self.find(id).filter(|call| call.is_reconciling())?;
        match outcome {
            // The call changed nothing, so it is decided again under the present conditions.
            ReconcileOutcome::NotBegun => call.hold().ok()?,
            ReconcileOutcome::Done => {
                let result = words::DONE_BEFORE.to_result(id.clone(), ResultStatus::Ok);
                self.end_call(core, result);
            }
            other => self.end_with_unknown_effects(core, id, &words::cut_off(other)),
        }
        self.advance(core)
    }

    /// Ends a call whose effects are unknown; it never runs again. The human is informed first if the
    /// configuration requires that.
    fn end_with_unknown_effects(&mut self, core: &mut Core, id: &CallId, text: &ResultText) {
        if let Some(call) = self.find(id) {
            core.note_unknown_effects(call.call().name.to_string());
        }
        self.end_call(core, text.to_result(id.clone(), ResultStatus::EffectsUnknown));
    }

    /// Suspends the run if every open call waits for an answer or a result from outside this process.
    pub(super) fn suspend_if_idle(&self) -> Option<Transition> {
        if self.calls.iter().any(Call::is_working) {
            return None;
        }
        let waits: Vec<Wait> = self.calls.iter().filter_map(Call::wait).collect();
        (!waits.is_empty()).then_some(Transition::End(Outcome::Suspended { waits }))
    }
}
