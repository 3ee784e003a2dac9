//! The continuation of a run after its record was replayed.

use windlass_protocol::{CallId, Message, Role, ToolCall};

use super::turn;
use crate::completion::accepted_completion;
use crate::core::{Core, LastAnswer, Restored};
use crate::transition::Transition;
use crate::{Matter, MessageSource, words};

/// The point at which a resumed run continues.
pub(super) enum Continuation {
    /// Calls of the newest answer have no result.
    Calls(Vec<ToolCall>, Restored),
    /// No call is open.
    Between(Transition),
}

/// Finds the point at which the run continues.
pub(super) fn begin(core: &mut Core, restored: Restored) -> Continuation {
    let transcript = core.transcript();
    let waiting: Vec<&CallId> = transcript.waiting().collect();
    let calls: Vec<ToolCall> = transcript
        .open_answer()
        .map(|answer| answer.calls().filter(|call| waiting.contains(&&call.id)).cloned().collect())
        .unwrap_or_default();
    if calls.is_empty() {
        Continuation::Between(continue_between_answers(core, restored))
    } else {
        Continuation::Calls(calls, restored)
    }
}

/// Continues a run without an open call at the point where its process ended.
fn continue_between_answers(core: &mut Core, restored: Restored) -> Transition {
    if let Some(words) = restored.unsent_reply {
        core.push_user(MessageSource::Guidance, &words);
        return Transition::NextTurn;
    }
    if let Some(text) = accepted_completion(core.config(), core.transcript()) {
        return turn::complete(core, text, false);
    }
    if let Some(question) = core.mistakes_question() {
        return Transition::Interrupt { reason: Matter::Mistakes, question };
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
        return Transition::Interrupt { reason: Matter::Mistakes, question };
    }
    // A request must end with a message of the human or a result.
    core.push_user(MessageSource::Continuation, words::GO_ON);
    Transition::NextTurn
}
