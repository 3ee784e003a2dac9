//! The answers to approval requests, and the questions about how the run continues.

use windlass_hitl::ApprovalOutcome;
use windlass_loop::{Input, InterruptId};
use windlass_tool::Question;

use super::CommandRunner;
use crate::options::Guidance;

impl CommandRunner {
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
