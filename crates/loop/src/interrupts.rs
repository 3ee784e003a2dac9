//! The numbers of a run's questions to the human, and the question that a record left open.

use crate::{InterruptId, InterruptReason, words};

/// The questions that a run has asked.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    /// The number of the newest question.
    newest: u32,
    /// The recorded question without an answer.
    open: Option<(InterruptId, String)>,
}

impl Interrupts {
    /// Restores a question from a record.
    pub(crate) fn restore(&mut self, id: InterruptId, question: String) {
        self.newest = self.newest.max(id.number);
        self.open = Some((id, question));
    }

    /// Closes the recorded open question, because it was answered or the run continued without an answer.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// Returns true if the recorded open question is from before version 6.
    pub(crate) fn is_open_without_id(&self) -> bool {
        self.open.as_ref().is_some_and(|(id, _)| id.reason == InterruptReason::Unspecified)
    }

    /// Returns the id of a question, and whether the question is new. A recorded open question in the same
    /// words keeps its id: an answer only counts for the words that the human read.
    pub(crate) fn open(&mut self, reason: InterruptReason, question: &str) -> (InterruptId, bool) {
        let recorded = self.open.take().filter(|(id, text)| {
            let is_same = text == question || words::to_present_wording(text) == question;
            is_same && (id.reason == reason || id.reason == InterruptReason::Unspecified)
        });
        if let Some((id, _)) = recorded {
            return (id, false);
        }
        self.newest = self.newest.saturating_add(1);
        (InterruptId::new(reason, self.newest), true)
    }
}
