//! The decisions about calls: by policy, and by the human, who is asked in the order of the calls.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Decision, PolicyInput, Verdict};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::Executing;
use crate::core::{Core, RecordedApproval};
use crate::transition::Transition;
use crate::{CallDecision, Command, Entry, Event, UnansweredPolicy, words};

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
                let advice = result.advice;
                let result = ToolResult::new(id.clone(), result.status, result.content).with_advice(advice);
                self.end_call(core, result);
                return self.advance(core);
            }
            CallDecision::Decided { facts, decision, request } => (facts, decision, request),
        };
        let (verdict, reason) = (decision.verdict, decision.reason.clone());
        if let Some(edit) = self.edits.get_mut(id) {
            edit.is_clean = !facts.has_secret;
        }
        record_decision(core, id, *facts, decision);
        match (verdict, request) {
            (Verdict::Allow, _) => {
                self.run(core, id);
                None
            }
            (Verdict::Deny, _) => {
                let text = words::denial_text(&reason);
                self.end_call(core, text.to_result(id.clone(), ResultStatus::Denied));
                self.advance(core)
            }
            (Verdict::Ask, Some(request)) => self.queue_approval(core, id, request),
            (Verdict::Ask, None) => self.deny_without_approver(core, id),
        }
    }

    /// Keeps the approval request of a call until its turn. If the record contains an answer to an equal
    /// request, that answer is applied instead.
    fn queue_approval(
        &mut self,
        core: &mut Core,
        id: &CallId,
        request: Box<ApprovalRequest>,
    ) -> Option<Transition> {
        let recorded = self.recorded.get(id).filter(|recorded| recorded.request.digest == request.digest);
        let outcome = recorded.and_then(|recorded| recorded.outcome.clone());
        if outcome.is_none() && self.is_covered(core, &request) {
            self.run(core, id);
            return None;
        }
        let call = self.find(id)?;
        let Some(outcome) = outcome else {
            call.queue_approval(request).ok()?;
            return None;
        };
        call.ask().ok()?;
        self.recorded.remove(id);
        self.apply_answer(core, request, &outcome)
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
        let (is_new, request) = match self.recorded.remove(id) {
            Some(RecordedApproval { request: recorded, .. }) if recorded.digest == request.digest => {
                (false, recorded)
            }
            Some(RecordedApproval { request: earlier, .. }) => {
                (true, Box::new(request.with_earlier(&earlier)))
            }
            None => (true, request),
        };
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
        let request = Box::new(request);
        let is_answered = matches!(outcome, ApprovalOutcome::Answered(_));
        if !is_answered && core.config().unanswered == UnansweredPolicy::Suspend {
            return self.postpone_approval(core, &id, request.request_id.clone());
        }
        core.count_review(outcome);
        core.record(Entry::Approval { call: id.clone(), outcome: outcome.clone() });
        core.show(Event::ApprovalEnded { outcome: outcome.clone() });
        self.apply_answer(core, request, outcome)
    }

    fn apply_answer(
        &mut self,
        core: &mut Core,
        request: Box<ApprovalRequest>,
        outcome: &ApprovalOutcome,
    ) -> Option<Transition> {
        let id = request.call.id.clone();
        if !self.find(&id).is_some_and(|call| call.is_asking()) {
            return None;
        }
        let (status, text) = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => {
                return self.approve(core, request, decision.edit());
            }
            ApprovalOutcome::Answered(decision) => {
                (ResultStatus::Denied, words::denial_with_answer_text(decision))
            }
            ApprovalOutcome::TimedOut { .. } => (ResultStatus::TimedOut, words::APPROVAL_TIMED_OUT),
            _ => (ResultStatus::Denied, words::NO_APPROVER),
        };
        self.end_call(core, text.to_result(id, status));
        self.advance(core)
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

    /// Denies a call whose approval request cannot be sent.
    fn deny_without_approver(&mut self, core: &mut Core, id: &CallId) -> Option<Transition> {
        self.end_call(core, words::NO_APPROVER.to_result(id.clone(), ResultStatus::Denied));
        self.advance(core)
    }
}

pub(super) fn record_decision(core: &mut Core, id: &CallId, facts: PolicyInput, decision: Decision) {
    let facts = Some(Box::new(facts.strip_payload()));
    core.record(Entry::Decided { call: id.clone(), decision: decision.clone(), facts });
    core.show(Event::Decided { call: id.clone(), decision });
}
