//! The questions to people: approval requests, and questions about how the run continues.

use std::future::poll_fn;
use std::task::Poll;

use tokio::sync::oneshot;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_loop::{Input, InterruptId};
use windlass_tool::Question;

use super::CommandRunner;
use crate::options::Guidance;

impl CommandRunner {
    pub(super) fn ask(&mut self, request: ApprovalRequest) {
        let approver = self.parts.approver.clone();
        let (id, call) = (request.request_id.clone(), request.call.id.clone());
        // An approver that panics counts as absent: the call is denied, and the run does not wait.
        let nobody = ApprovalOutcome::NoApprover { request_id: id.clone() };
        let otherwise = nobody.clone();
        // The runtime polls tasks in any order, but the approver must see the questions in the order of their
        // calls. So each task waits until the question before it was passed on. Dropping the sender ends that
        // wait, also if the task is aborted or panics.
        let (put, is_put) = oneshot::channel();
        let before = self.newest_question.replace(is_put);
        let task = self.start(Input::Approval(otherwise), async move {
            if let Some(before) = before {
                drop(before.await);
            }
            let mut answer = approver.decide(&request);
            let begun = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
            drop(put);
            let answer = match begun {
                Poll::Ready(answer) => answer,
                Poll::Pending => answer.await,
            };
            Input::Approval(answer.map_or(nobody, ApprovalOutcome::Answered))
        });
        self.questions.insert(id, (call, task));
    }

    /// Adds the approval to the session's grants if it asks for that. Returns the reason if it cannot be
    /// added (RULES H9).
    pub(crate) fn remember(&mut self, outcome: &ApprovalOutcome) -> Option<String> {
        let (call, task) = self.questions.remove(outcome.request_id())?;
        task.abort();
        self.guard.remember(&call, outcome)
    }

    /// Aborts the question if it is still open, for example after a timeout. A timeout counts as
    /// unanswered for the learned approvals.
    pub(crate) fn end_question(&mut self, outcome: &ApprovalOutcome) {
        if let Some((call, task)) = self.questions.remove(outcome.request_id()) {
            task.abort();
            self.guard.hear(&call, outcome);
        }
    }

    pub(super) fn consult(&mut self, id: InterruptId, text: String) {
        if let Some(Guidance { words, .. }) = self.guidance.take_if(|left| left.id == Some(id)) {
            return self.send_back(Input::InterruptReply { id, words: Some(words) });
        }
        let human = self.parts.human.clone();
        // A human that panics counts as absent.
        let task = self.start(Input::InterruptReply { id, words: None }, async move {
            let words = match human {
                Some(human) => human.answer(&Question::new(text, Vec::new())).await.ok(),
                None => None,
            };
            Input::InterruptReply { id, words }
        });
        self.consulting = Some((id, task));
    }

    pub(super) fn withdraw(&mut self, id: InterruptId) {
        if let Some((_, question)) = self.consulting.take_if(|(open, _)| *open == id) {
            question.abort();
        }
    }
}
