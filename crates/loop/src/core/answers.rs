//! The acceptance of an answer or a summary, and the change of the next request after a failure.

use windlass_assemble::Answer;
use windlass_protocol::{Message, Usage};

use super::Core;
use crate::conversation::SummaryPlan;
use crate::{Entry, Event, FailureSubject, StreamFailure};

impl Core {
    /// Counts the tokens of an answer that ended, adjusts the estimate of sizes, and shows the end.
    pub(crate) fn count_answer(&mut self, answer: &Answer) {
        self.count_usage(&answer.usage);
        self.conversation.learn_size(&answer.usage);
        let (stop, total, total_cost) = (answer.stop.clone(), self.ledger.usage(), self.ledger.used().cost);
        let cost = self.answering_prices().cost(&answer.usage);
        self.show(Event::AnswerEnded { stop, usage: answer.usage, total, cost, total_cost });
    }

    /// Records an answer and appends it to the conversation. From now on the run keeps its protocol.
    pub(crate) fn record_answer(&mut self, message: Message, entry: Entry) {
        // The entry contains the tokens that have been counted.
        let _ = self.ledger.take_unrecorded();
        self.record(entry);
        self.conversation.push_assistant(message).expect("ids are made unique, and nothing is open");
        self.protocols.lock();
    }

    /// Replaces the turns of a plan by their summary, or by a note without one.
    pub(crate) fn apply_summary(&mut self, plan: SummaryPlan, summary: Option<&str>, usage: Usage) {
        // The entry of the compaction contains the tokens that have been counted.
        let _ = self.ledger.take_unrecorded();
        self.conversation.apply_summary(plan, summary, usage, &mut self.commands);
    }

    /// Changes the next request if the failure has a subject that the machine can change: the protocol, the
    /// length of the conversation, or a picture. Returns false if the request is the same.
    pub(crate) fn change_request(&mut self, failure: &StreamFailure) -> bool {
        let is_changed = match failure.subject {
            FailureSubject::Protocol => return self.try_next_protocol(failure),
            FailureSubject::ContextLength => self.shrink(),
            FailureSubject::Image => self.remove_refused_images(failure),
            FailureSubject::Other | FailureSubject::Hook => false,
        };
        if is_changed {
            self.show(Event::AttemptDiscarded { reason: failure.message.clone(), delay_ms: 0 });
        }
        is_changed
    }

    fn try_next_protocol(&mut self, failure: &StreamFailure) -> bool {
        let Some(protocol) = self.protocols.try_next() else { return false };
        self.record(Entry::Protocol { protocol });
        self.show(Event::ProtocolChanged { protocol, reason: failure.message.clone() });
        true
    }

    /// Shortens a conversation that is too long, once for each answer. Returns false if nothing can be
    /// removed.
    pub(crate) fn shrink(&mut self) -> bool {
        self.conversation.shrink(&mut self.commands)
    }

    /// Replaces the newest pictures by words if the provider refused a picture. The provider does not
    /// identify the picture, so each further refusal of the same request doubles the number of messages,
    /// until no picture is left. Returns true if a picture was replaced.
    pub(crate) fn remove_refused_images(&mut self, failure: &StreamFailure) -> bool {
        if failure.subject != FailureSubject::Image {
            return false;
        }
        let least = self.attempts.messages_to_clear();
        let is_replaced =
            self.conversation.replace_refused_images(least, &failure.message, &mut self.commands);
        if is_replaced {
            self.attempts.count_image_refusal();
        }
        is_replaced
    }
}
