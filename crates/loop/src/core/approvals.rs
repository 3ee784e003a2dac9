//! The open questions to the human: approval requests, and questions about how the run continues.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};

use super::Core;
use crate::{Entry, Event, Input, InterruptId, InterruptReason};

impl Core {
    /// Adds an approval request to the open ones. Returns false if its id was used before.
    pub(crate) fn open_approval(&mut self, request: &ApprovalRequest) -> bool {
        self.approvals.ask(request.clone(), self.now_ms).is_ok()
    }

    /// Ends the approval request of an outcome and returns it. Reports an outcome without an open request.
    pub(crate) fn end_approval(&mut self, outcome: &ApprovalOutcome) -> Option<ApprovalRequest> {
        match self.approvals.end(outcome) {
            Ok(request) => Some(request),
            Err(error) => {
                self.show(Event::AnswerRefused { reason: error.to_string() });
                None
            }
        }
    }

    /// Withdraws all approval requests.
    pub(crate) fn clear_approvals(&mut self) {
        self.approvals.clear();
    }

    /// Returns an outcome for each approval request whose time has run out.
    pub(crate) fn overdue_approvals(&self) -> Vec<ApprovalOutcome> {
        self.approvals.overdue(self.now_ms)
    }

    /// Returns the time at which the next approval request runs out.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        // The approval queue represents "without a time limit" as `u64::MAX`.
        self.approvals.next_deadline().filter(|at_ms| *at_ms < u64::MAX)
    }

    /// Returns the id of a question to the human, and records the question if it is new.
    pub(crate) fn open_interrupt(&mut self, reason: InterruptReason, question: &str) -> InterruptId {
        let (id, is_new) = self.interrupts.open(reason, question);
        if is_new {
            self.record(Entry::Interrupt { id, question: question.to_owned() });
        }
        id
    }

    /// Handles an input that the present phase does not expect. Answers to questions that are not open are
    /// refused, the start of a call is shown, and other inputs change nothing.
    pub(crate) fn refuse_input(&mut self, input: Input) {
        match input {
            Input::Started(call) => self.show(Event::CallRunning { call }),
            Input::Approval(outcome) => drop(self.end_approval(&outcome)),
            Input::InterruptReply { id, words: Some(_) } => {
                let reason = format!("question {} about how the run continues is not open", id.number);
                self.show(Event::AnswerRefused { reason });
            }
            _ => {}
        }
    }
}
