//! The approval requests for the calls of an answer, in the order of the calls.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::State;
use crate::machine::resume::Carried;
use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, words};

impl Machine {
    /// Holds the approval request of a call until its turn. If the record contains an answer to an equal
    /// request, that answer is applied instead.
    pub(super) fn hold_question(&mut self, call: &CallId, request: Box<ApprovalRequest>) {
        match self.answer_on_record(call, &request) {
            Some(outcome) => {
                self.carried.remove(call);
                self.set(call, State::Asking);
                self.approved(call, &outcome);
            }
            None => self.set(call, State::ToAsk(request)),
        }
    }

    fn answer_on_record(&self, call: &CallId, request: &ApprovalRequest) -> Option<ApprovalOutcome> {
        let carried = self.carried.get(call).filter(|carried| carried.request.digest == request.digest)?;
        carried.outcome.clone()
    }

    /// Sends the approval requests whose turn has come. Calls are judged concurrently and in any order; a
    /// call that may still need approval delays the requests of later calls, but not their judgement.
    pub(crate) fn put_questions(&mut self) {
        while let Some((call, request)) = self.next_question() {
            self.ask(&call, request);
        }
    }

    fn next_question(&self) -> Option<(CallId, Box<ApprovalRequest>)> {
        let Phase::Executing(execution) = &self.phase else { return None };
        let first = execution.slots.iter().find(|slot| {
            matches!(
                slot.state,
                State::Ahead { runs: false } | State::LookingBack | State::Judging | State::ToAsk(_)
            )
        })?;
        match &first.state {
            State::ToAsk(request) => Some((first.call.id.clone(), request.clone())),
            _ => None,
        }
    }

    fn ask(&mut self, call: &CallId, request: Box<ApprovalRequest>) {
        let before = self.carried.remove(call).filter(|carried| carried.request.digest == request.digest);
        let (is_new, request) = before.map_or((true, request), |Carried { request, .. }| (false, request));
        if self.approvals.ask(*request.clone(), self.now_ms).is_err() {
            return self.cannot_ask(call);
        }
        self.set(call, State::Asking);
        if is_new {
            self.want(Effect::Record(Entry::Asked { request: request.clone() }));
        }
        self.show(Event::asked(request.clone()));
        self.want(Effect::Ask(request));
    }

    /// Denies a call whose approval request cannot be sent.
    pub(super) fn cannot_ask(&mut self, call: &CallId) {
        self.end_call(ToolResult::text(call.clone(), ResultStatus::Denied, words::NO_APPROVER));
        self.advance();
    }
}
