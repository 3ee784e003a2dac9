//! The end of an answer, and the evaluation of a complete one: calls, text, or nothing.

use windlass_assemble::{Answer, Assembler, CallEvent, MalformedCall, Options};
use windlass_protocol::{Arguments, CallId, Message, Part, StopReason, ToolCall, ToolName, ToolResult};

use super::broken::{abandon, break_off, failure_of};
use super::early::{EarlyChecks, Refusal};
use super::{Streaming, show_call};
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

    /// Ends the answer with the chunks that have arrived, and leaves an empty one.
    pub(super) fn take_answer(&mut self, core: &mut Core) -> EndedAnswer {
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(Options::default()));
        let mut early = std::mem::take(&mut self.early);
        let mut events = Vec::new();
        let answer = assembler.finish(&mut events);
        for event in events {
            // The answer has ended, so a check of the event would come too late, and no call starts early.
            let _ = early.follow(&event);
            let is_shown = matches!(&event, CallEvent::Malformed(call) if early.refusal(call.key).is_some());
            if !is_shown {
                let _ = show_call(core, event);
            }
        }
        EndedAnswer::new(answer, early, std::mem::take(&mut self.speculative))
    }
}

/// A complete answer, with the early refusals and early calls from its stream.
pub(super) struct EndedAnswer {
    answer: Answer,
    speculative: SpeculativeCalls,
    early: EarlyChecks,
}

impl EndedAnswer {
    fn new(mut answer: Answer, early: EarlyChecks, speculative: SpeculativeCalls) -> Self {
        name_the_nameless(&mut answer);
        Self { answer, speculative, early }
    }

    /// Records the answer and decides what follows it.
    pub(super) fn evaluate(self, core: &mut Core) -> Transition {
        let Self { answer, early, speculative } = self;
        core.count_answer(&answer);
        if answer.is_empty() && !matches!(answer.stop, Some(StopReason::Length | StopReason::ContextWindow)) {
            let is_refused = matches!(answer.stop, Some(StopReason::Refusal | StopReason::ContentFilter));
            return if is_refused { Transition::stop(StopCause::Refused) } else { handle_empty(core) };
        }
        let (calls, mut refused) = identify_calls(core, &answer, &early);
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

/// Returns the calls of an answer with ids that are unique in the conversation (RULES P1), and the results of
/// the calls that cannot run (S10, S11).
fn identify_calls(core: &mut Core, answer: &Answer, early: &EarlyChecks) -> (Vec<ToolCall>, Vec<ToolResult>) {
    let mut refused = Vec::new();
    let mut calls: Vec<ToolCall> = Vec::new();
    let message = Message::assistant(answer.parts.clone());
    for (position, call) in message.calls().enumerate() {
        let mut unique = call.clone();
        if core.transcript().has_call(&call.id) || calls.iter().any(|other| other.id == call.id) {
            // A generated id can be equal to the id of another call of the answer.
            let others = || calls.iter().chain(message.calls());
            unique.id = core.free_call_id(position, |id| others().any(|other| other.id == *id));
            core.show(Event::CallTakenUp { call: unique.clone() });
        }
        if let Some(malformed) = answer.iter_malformed().find(|malformed| malformed.id == call.id) {
            refused.push(refuse_malformed(unique.id.clone(), malformed, early.refusal(malformed.key)));
        }
        calls.push(unique);
    }
    (calls, refused)
}

/// Replaces the calls among the parts by the same calls with unique ids.
fn replace_calls(parts: Vec<Part>, calls: &[ToolCall]) -> Vec<Part> {
    let mut calls = calls.iter();
    parts
        .into_iter()
        .map(|part| match part {
            Part::Call(call) => Part::Call(calls.next().cloned().unwrap_or(call)),
            other => other,
        })
        .collect()
}

fn refuse_malformed(id: CallId, call: &MalformedCall, early: Option<&Refusal>) -> ToolResult {
    match early {
        Some(refusal) => ToolResult::text(id, refusal.status, refusal.text.as_str()),
        None => ToolResult::text(
            id,
            call.status(),
            words::text_for_malformed(&call.reason.to_string(), &call.text),
        ),
    }
}

/// Gives a placeholder name to each call whose name never arrived, so that its error result belongs to a call
/// of the conversation (RULES S11).
fn name_the_nameless(answer: &mut Answer) {
    let nameless: Vec<_> =
        answer.iter_malformed().filter(|call| call.name.is_none()).map(|call| call.id.clone()).collect();
    for id in nameless {
        let name = ToolName::new(words::NAMELESS).expect("the name is a constant");
        answer.parts.push(Part::Call(ToolCall::function(id, name, Arguments::default())));
    }
}
