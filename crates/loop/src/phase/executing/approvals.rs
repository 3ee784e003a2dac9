//! The approval requests for the calls of an answer, in the order of the calls.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::Executing;
use crate::core::{Core, RecordedApproval};
use crate::transition::Transition;
use crate::{Command, Entry, Event, UnansweredPolicy, words};

impl Executing {
    /// Keeps the approval request of a call until its turn. If the record contains an answer to an equal
    /// request, that answer is applied instead.
    pub(super) fn queue_approval(
        &mut self,
        core: &mut Core,
        id: &CallId,
        request: Box<ApprovalRequest>,
    ) -> Option<Transition> {
        let recorded = self.recorded.get(id).filter(|recorded| recorded.request.digest == request.digest);
        let outcome = recorded.and_then(|recorded| recorded.outcome.clone());
        let call = self.find(id)?;
        let Some(outcome) = outcome else {
            call.queue_approval(request).ok()?;
            return None;
        };
        call.ask().ok()?;
        self.recorded.remove(id);
        self.apply_answer(core, id, &outcome)
    }

    /// Sends the approval requests whose turn has come. Calls are decided concurrently and in any order; a
    /// call that may still need approval delays the requests of later calls, but not their decision.
    pub(crate) fn send_approvals(&mut self, core: &mut Core) -> Option<Transition> {
        while let Some((id, request)) = self.next_approval() {
            let next = self.send_approval(core, &id, request);
            if next.is_some() {
                return next;
            }
        }
        None
    }

    fn next_approval(&self) -> Option<(CallId, Box<ApprovalRequest>)> {
        let first = self.calls.iter().find(|call| call.may_need_approval())?;
        let request = first.next_approval()?;
        Some((first.id().clone(), Box::new(request.clone())))
    }

    fn send_approval(
        &mut self,
        core: &mut Core,
        id: &CallId,
        request: Box<ApprovalRequest>,
    ) -> Option<Transition> {
        let recorded = self.recorded.remove(id).filter(|recorded| recorded.request.digest == request.digest);
        let (is_new, request) =
            recorded.map_or((true, request), |RecordedApproval { request, .. }| (false, request));
        if !core.open_approval(&request) {
            return self.deny_without_approver(core, id);
        }
        self.find(id)?.ask().ok()?;
        if is_new {
            core.record(Entry::Asked { request: request.clone() });
        }
        core.show(Event::from_request(request.clone()));
        core.emit(Command::Ask(request));
        None
    }

    /// Ends an approval request and applies its outcome to the call.
    pub(super) fn apply_approval(
        &mut self,
        core: &mut Core,
        outcome: &ApprovalOutcome,
    ) -> Option<Transition> {
        let request = core.end_approval(outcome)?;
        let id = request.call.id.clone();
        let is_answered = matches!(outcome, ApprovalOutcome::Answered(_));
        if !is_answered && core.config().unanswered == UnansweredPolicy::Suspend {
            return self.postpone_approval(core, &id, request.request_id);
        }
        core.record(Entry::Approval { call: id.clone(), outcome: outcome.clone() });
        core.show(Event::ApprovalEnded { outcome: outcome.clone() });
        self.apply_answer(core, &id, outcome)
    }

    /// Leaves an approval request open for another process. The record does not get an answer to it (DESIGN
    /// "Suspend anywhere, resume anywhere").
    fn postpone_approval(&mut self, core: &mut Core, id: &CallId, request_id: String) -> Option<Transition> {
        self.find(id)?.postpone(request_id.clone()).ok()?;
        core.show(Event::ApprovalPostponed { request_id });
        self.advance(core)
    }

    fn apply_answer(
        &mut self,
        core: &mut Core,
        id: &CallId,
        outcome: &ApprovalOutcome,
    ) -> Option<Transition> {
        if !self.find(id).is_some_and(|call| call.is_asking()) {
            return None;
        }
        let (status, text) = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => {
                self.run(core, id);
                return None;
            }
            ApprovalOutcome::Answered(decision) => {
                (ResultStatus::Denied, words::human_denial_text(decision.reason.as_deref()))
            }
            ApprovalOutcome::TimedOut { .. } => {
                (ResultStatus::TimedOut, words::APPROVAL_TIMED_OUT.to_owned())
            }
            _ => (ResultStatus::Denied, words::NO_APPROVER.to_owned()),
        };
        self.end_call(core, ToolResult::text(id.clone(), status, text));
        self.advance(core)
    }

    /// Denies a call whose approval request cannot be sent.
    pub(super) fn deny_without_approver(&mut self, core: &mut Core, id: &CallId) -> Option<Transition> {
        self.end_call(core, ToolResult::text(id.clone(), ResultStatus::Denied, words::NO_APPROVER));
        self.advance(core)
    }
}
