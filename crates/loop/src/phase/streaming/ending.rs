//! The end of an answer, and the evaluation of a complete one: calls, text, or nothing.

use windlass_assemble::{Answer, AssembleOptions, Assembler, CallEvent, MalformedCall};
use windlass_protocol::{CallId, Message, Part, StopReason, ToolCall, ToolResult};

use super::Streaming;
use super::broken::{abandon, break_off, failure_of};
use super::call_ids::{CallIds, name_the_nameless, replace_calls};
use super::early::{EarlyChecks, Refusal};
use crate::core::Core;
use crate::phase::{no_call, turn};
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Entry, Event, StopCause, StreamFailure, words};

impl Streaming {
    pub(super) fn end(&mut self, core: &mut Core, end: Result<(), StreamFailure>) -> Transition {
        let ended = self.take_answer(core);
        // An answer whose stream broke off runs no tool (RULES S10): it is void and requested again.
        if let Some(failure) = end.err().or_else(|| failure_of(&ended.answer)) {
            return break_off(core, &ended.answer.usage, &ended.speculative, &failure);
        }
        // If the window is full, the conversation is shortened and the answer requested again. If it cannot
        // be shortened, the answer counts as one that was cut.
        if ended.answer.stop == Some(StopReason::ContextWindow) && core.shrink() {
            core.count_usage(&ended.answer.usage);
            abandon(core, &ended.speculative);
            core.discard_attempt();
            let reason = "the answer filled the model's window".to_owned();
            core.show(Event::AttemptDiscarded { reason, delay_ms: 0 });
            return Transition::Request { delay_ms: 0 };
        }
        ended.evaluate(core)
    }

    /// Ends the answer with the chunks that have arrived, and leaves an empty answer.
    pub(super) fn take_answer(&mut self, core: &mut Core) -> EndedAnswer {
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(AssembleOptions::default()));
        self.close_text(core);
        let mut events = Vec::new();
        let answer = assembler.finish(&mut events);
        for event in events {
            // The answer has ended, so a check of the event would come too late, and no call starts early.
            let _ = self.early.follow(&event);
            match &event {
                // The early refusal of the call has been shown.
                CallEvent::Malformed(call) if self.early.refusal(call.key).is_some() => {
                    self.ids.settle(core, call.key, &call.id);
                }
                _ => {
                    let _ = self.show_call(core, event);
                }
            }
        }
        EndedAnswer::new(answer, self)
    }
}

/// A complete answer, with the early refusals and early calls from its stream.
pub(super) struct EndedAnswer {
    answer: Answer,
    speculative: SpeculativeCalls,
    early: EarlyChecks,
    ids: CallIds,
}

impl EndedAnswer {
    /// Takes the state of the calls from the stream of the answer.
    fn new(mut answer: Answer, stream: &mut Streaming) -> Self {
        name_the_nameless(&mut answer);
        let speculative = std::mem::take(&mut stream.speculative);
        Self {
            answer,
            speculative,
            early: std::mem::take(&mut stream.early),
            ids: std::mem::take(&mut stream.ids),
        }
    }

    /// Records the answer and decides what follows it.
    pub(super) fn evaluate(self, core: &mut Core) -> Transition {
        let Self { answer, early, speculative, ids } = self;
        core.count_answer(&answer);
        if answer.is_empty() && !matches!(answer.stop, Some(StopReason::Length | StopReason::ContextWindow)) {
            let is_refused = matches!(answer.stop, Some(StopReason::Refusal | StopReason::ContentFilter));
            return if is_refused { Transition::stop(StopCause::Refused) } else { handle_empty(core) };
        }
        let (calls, mut refused) = identify_calls(&answer, &early, &ids);
        let malformed = refused.len();
        core.check_calls(&calls, &mut refused);
        let has_words =
            answer.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.text.is_empty()));
        if answer.is_empty() {
            core.discard_attempt();
        } else {
            let message = Message::assistant(replace_calls(answer.parts, &calls));
            let entry = Entry::Answered {
                message: message.clone(),
                refused: refused.clone(),
                malformed: Some(malformed),
                repaired: early.into_repaired(),
                stop: answer.stop.clone(),
                usage: answer.usage,
                prices: core.answer_prices(),
            };
            core.record_answer(message, entry);
        }
        if calls.is_empty() {
            no_call::handle_no_call(core, has_words, answer.stop.as_ref())
        } else {
            Transition::Execute { calls, refused, speculative }
        }
    }
}

/// Handles an empty answer, which is never kept (RULES R7). The answer is requested again before the human is
/// asked.
fn handle_empty(core: &mut Core) -> Transition {
    core.discard_attempt();
    if core.may_repeat_empty() {
        return turn::retry(core, &StreamFailure::new("the answer was empty", true));
    }
    no_call::handle_no_call(core, false, None)
}

/// Returns the calls of an answer with ids that are unique in the run (RULES P1), and the results of
/// the calls that cannot run (S10, S11).
fn identify_calls(answer: &Answer, early: &EarlyChecks, ids: &CallIds) -> (Vec<ToolCall>, Vec<ToolResult>) {
    let mut refused = Vec::new();
    let mut calls: Vec<ToolCall> = Vec::new();
    let in_order = answer.parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        _ => None,
    });
    for call in in_order {
        let mut unique = call.clone();
        unique.id = ids.find(&call.id).clone();
        if let Some(malformed) = answer.iter_malformed().find(|malformed| malformed.id == call.id) {
            refused.push(refuse_malformed(unique.id.clone(), malformed, early.refusal(malformed.key)));
        }
        calls.push(unique);
    }
    (calls, refused)
}

fn refuse_malformed(id: CallId, call: &MalformedCall, early: Option<&Refusal>) -> ToolResult {
    match early {
        Some(refusal) => refusal.text.to_result(id, refusal.status),
        None => words::text_for_malformed(&call.reason.to_string(), &call.text).to_result(id, call.status()),
    }
}
