//! The continuation of a run after its record was replayed.

use windlass_protocol::{CallId, Message, Role, ToolCall};

use super::turn;
use crate::completion::accepted_completion;
use crate::core::{Core, LastAnswer, Restored};
use crate::transition::Transition;
use crate::{InterruptReason, MessageSource, Transcript, words};

/// Returns the calls of the newest answer that have no result.
pub(super) fn open_calls(transcript: &Transcript) -> Vec<ToolCall> {
    let waiting: Vec<&CallId> = transcript.waiting().collect();
    let answer = transcript.open_answer();
    let calls = answer.into_iter().flat_map(Message::calls);
    calls.filter(|call| waiting.contains(&&call.id)).cloned().collect()
}

/// Continues a run without an open call at the point where its process ended.
pub(super) fn continue_between_answers(core: &mut Core, restored: Restored) -> Transition {
    if let Some(words) = restored.unsent_reply {
        core.push_user(MessageSource::InterruptReply, &words);
        return Transition::NextTurn;
    }
    if let Some(text) = accepted_completion(core.config(), core.transcript()) {
        return turn::complete(core, text, false);
    }
    if let Some(question) = core.mistakes_question() {
        return Transition::Interrupt { reason: InterruptReason::Mistakes, question };
    }
    let newest = core.transcript().messages().last();
    if newest.is_none_or(|message: &Message| message.role != Role::Assistant) {
        return Transition::NextTurn;
    }
    // The record contains the end of the answer, but not its consequence.
    if let Some(LastAnswer { stop: Some(stop), has_words, is_settled: false }) = restored.last {
        return turn::handle_no_call(core, has_words, Some(&stop));
    }
    if let Some(question) = core.nudges_question() {
        return Transition::Interrupt { reason: InterruptReason::Mistakes, question };
    }
    // A request must end with a message of the human or a result.
    core.push_user(MessageSource::Continuation, words::GO_ON);
    Transition::NextTurn
}
