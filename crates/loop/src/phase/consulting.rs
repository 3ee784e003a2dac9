//! The phase in which a human decides how the run continues (RULES H4, H10).

use crate::core::Core;
use crate::transition::Transition;
use crate::{
    Command, Entry, Input, InterruptId, InterruptReason, MessageSource, Outcome, StopCause, Unanswered, Wait,
};

/// The open question to the human.
#[derive(Debug)]
pub(crate) struct Consulting {
    id: InterruptId,
    /// The reason of the question. The id of a question from an early record does not have it.
    reason: InterruptReason,
    question: String,
}

impl Consulting {
    /// Asks the human a question.
    pub(super) fn ask(core: &mut Core, reason: InterruptReason, question: String) -> Self {
        let id = core.open_interrupt(reason, &question);
        core.emit(Command::Interrupt { id, question: question.clone() });
        Self { id, reason, question }
    }

    pub(super) fn step(&mut self, core: &mut Core, input: Input) -> Option<Transition> {
        match input {
            Input::InterruptReply { id, words } if id == self.id => Some(self.apply_reply(core, words)),
            Input::Cancel => Some(Transition::stop(StopCause::Cancelled)),
            other => {
                core.refuse_input(other);
                None
            }
        }
    }

    /// Applies the human's answer; `None` if the human does not answer.
    fn apply_reply(&mut self, core: &mut Core, words: Option<String>) -> Transition {
        if words.is_none() && core.config().unanswered == Unanswered::Suspend {
            let waits = vec![Wait::InterruptReply { id: self.id, question: self.question.clone() }];
            return Transition::End(Outcome::Suspended { waits });
        }
        let words = words.unwrap_or_default();
        let words = words.trim();
        let words = match (self.reason, words.to_lowercase().as_str()) {
            (InterruptReason::Budget, "" | "n" | "no" | "stop") => {
                return Transition::stop(StopCause::Budget);
            }
            (InterruptReason::Budget, "y" | "yes") | (InterruptReason::UnknownEffects, "" | "nothing") => {
                None
            }
            (_, "") => return Transition::stop(StopCause::MistakeLimit),
            _ => Some(words.to_owned()),
        };
        let id = InterruptId::new(self.reason, self.id.number);
        core.record(Entry::InterruptReply { id: Some(id), words: words.clone() });
        core.apply_reply(self.reason, words.is_some());
        if self.reason == InterruptReason::Budget {
            core.count_grant();
        }
        if let Some(words) = words {
            core.push_user(MessageSource::InterruptReply, &words);
        }
        Transition::NextTurn
    }

    /// Withdraws a question about the budget, because another run that shares the budget got the answer.
    pub(super) fn withdraw_budget_question(&mut self, core: &mut Core) -> Option<Transition> {
        if self.reason != InterruptReason::Budget {
            return None;
        }
        core.emit(Command::Withdraw { id: self.id });
        Some(Transition::NextTurn)
    }
}
