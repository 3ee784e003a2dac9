//! The continuation of a run after its record was replayed.

use windlass_protocol::{CallId, Message, Role, ToolCall};

use super::executing::Executing;
use super::{Phase, no_call, turn};
use crate::completion::find_completion;
use crate::core::{Core, LastAnswer, RestoredState};
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{InterruptReason, MessageSource, Transcript, words};

impl Phase {
    /// Continues a run from its record: with the calls of the open answer, or between two answers.
    pub(crate) fn resume(core: &mut Core, restored: RestoredState) -> Self {
        let mut phase = Self::Idle;
        let calls = open_calls(core.transcript());
        let next = if calls.is_empty() {
            Some(continue_between_answers(core, restored))
        } else {
            let mut executing = Box::new(Executing::new(core, calls, &SpeculativeCalls::default()));
            let next = executing.resume(core, restored);
            phase = Self::Executing(executing);
            next
        };
        if let Some(transition) = next {
            phase.enter(core, transition);
        }
        phase
    }
}

/// Returns the calls of the newest answer that have no result.
fn open_calls(transcript: &Transcript) -> Vec<ToolCall> {
    let waiting: Vec<&CallId> = transcript.waiting().collect();
    let answer = transcript.open_answer();
    let calls = answer.into_iter().flat_map(Message::calls);
    calls.filter(|call| waiting.contains(&&call.id)).cloned().collect()
}

/// Continues a run without an open call at the point where its process ended.
fn continue_between_answers(core: &mut Core, restored: RestoredState) -> Transition {
    if let Some(words) = restored.unsent_reply {
        core.push_user(MessageSource::InterruptReply, &words);
        return Transition::NextTurn;
    }
    if core.only_compacts() {
        // The conversation, with its end, is that of earlier runs.
        return Transition::NextTurn;
    }
    if let Some(text) = find_completion(core.config(), core.transcript()) {
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
        return no_call::handle_no_call(core, has_words, Some(&stop));
    }
    if let Some(question) = core.nudges_question() {
        return Transition::Interrupt { reason: InterruptReason::Mistakes, question };
    }
    // A request must end with a message of the human or a result.
    core.push_user(MessageSource::Continuation, words::GO_ON);
    Transition::NextTurn
}
