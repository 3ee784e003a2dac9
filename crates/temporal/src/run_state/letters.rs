//! Letters: messages from outside to the run, which arrive as signals.

use windlass_agent::SharedGrants;
use windlass_hitl::{ApprovalDecision, ApprovalOutcome};
use windlass_loop::{Input, ResumeError};
use windlass_protocol::ToolResult;

use super::RunState;
use crate::data::Letter;

impl RunState {
    /// Keeps a letter until the workflow reads it.
    pub(crate) fn push_letter(&mut self, letter: Letter) {
        self.letters.push_back(letter);
    }

    /// Returns true if a letter waits.
    pub(crate) fn has_letter(&self) -> bool {
        !self.letters.is_empty()
    }

    /// Reads all letters that wait.
    ///
    /// # Errors
    /// Returns an error if the run was suspended and its record contradicts itself.
    pub(crate) fn read_letters(&mut self, now_ms: u64) -> Result<(), ResumeError> {
        while let Some(letter) = self.letters.pop_front() {
            let is_suspended = self.is_suspended();
            let input = self.open_letter(letter, is_suspended);
            if is_suspended {
                self.resume(now_ms)?;
            }
            if let Some(input) = input {
                self.feed(input, now_ms);
            }
        }
        Ok(())
    }

    /// Returns the input that a letter contains. An answer to a suspended run is kept instead, until the next
    /// machine repeats the question.
    fn open_letter(&mut self, letter: Letter, is_suspended: bool) -> Option<Input> {
        match letter {
            Letter::Stop => {
                self.is_stopped = true;
                Some(Input::Cancel)
            }
            Letter::Result(result) => self.open_result(*result, is_suspended),
            Letter::Input(input) => match *input {
                Input::Approval(ApprovalOutcome::Answered(decision)) => {
                    if is_suspended {
                        self.answers.insert(decision.request_id.clone(), decision);
                        return None;
                    }
                    Some(self.answer(decision))
                }
                Input::InterruptReply { id, words } => {
                    if is_suspended {
                        self.replies.insert(id.number, (id, words));
                        return None;
                    }
                    self.question.take_if(|(open, _)| *open == id);
                    Some(Input::InterruptReply { id, words })
                }
                other => Some(other),
            },
        }
    }

    fn open_result(&mut self, result: ToolResult, is_suspended: bool) -> Option<Input> {
        if is_suspended || !self.deferred.remove(&result.call) {
            self.results.insert(result.call.clone(), result);
            return None;
        }
        Some(Input::Result(result))
    }

    /// Closes an approval request and remembers its answer for the session if the human wants that.
    pub(super) fn answer(&mut self, decision: ApprovalDecision) -> Input {
        self.close_approval(&decision.request_id);
        let is_grant = decision.approved && (decision.remember || decision.always_allow);
        let outcome = ApprovalOutcome::Answered(decision);
        if is_grant {
            self.pending_grant = true;
        }
        Input::Approval(outcome)
    }

    /// Reads the grants of the record again after an answer that gave one.
    pub(super) fn renew_grants(&mut self) {
        if std::mem::take(&mut self.pending_grant) {
            self.scope.grants = SharedGrants::from_record(&self.record).grants();
        }
    }
}
