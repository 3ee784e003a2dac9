//! The end of an answer: its stream ended or broke off, or the run was cancelled.

use windlass_assemble::{Answer, Assembler, CallEvent, Ending, Options};
use windlass_protocol::{Message, Part, StopReason};
use windlass_stream::{StreamError, StreamErrorKind, names_image};

use super::answer::EndedAnswer;
use super::{Streaming, show_call};
use crate::core::Core;
use crate::phase::turn;
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Command, Entry, Event, StopCause, StreamFailure};

impl Streaming {
    pub(super) fn end(&mut self, core: &mut Core, end: Result<(), StreamFailure>) -> Transition {
        let ended = self.take_answer(core);
        // An answer whose stream broke off runs no tool (RULES S10): it is void and requested again.
        if let Some(failure) = end.err().or_else(|| failure_of(&ended.answer)) {
            return break_off(core, &ended, &failure);
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

    /// Keeps the text of an answer that was cancelled, and drops its calls.
    pub(super) fn cancel(&mut self, core: &mut Core) -> Transition {
        core.emit(Command::CloseStream);
        abandon(core, &self.speculative);
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(Options::default()));
        let answer = assembler.finish(&mut Vec::new());
        core.count_usage(&answer.usage);
        let parts: Vec<_> = answer.parts.into_iter().filter(|part| matches!(part, Part::Text(_))).collect();
        if !parts.is_empty() {
            let message = Message::assistant(parts);
            let entry = Entry::Answered {
                message: message.clone(),
                refused: Vec::new(),
                malformed: None,
                repaired: Vec::new(),
                stop: None,
                usage: answer.usage,
            };
            core.record_answer(message, entry);
        }
        Transition::stop(StopCause::Cancelled)
    }
}

/// Handles an answer that broke off: changes the request if the failure shows how, and otherwise repeats it.
fn break_off(core: &mut Core, ended: &EndedAnswer, failure: &StreamFailure) -> Transition {
    // The provider also charges for an answer that broke off (RULES H10).
    core.count_usage(&ended.answer.usage);
    abandon(core, &ended.speculative);
    core.discard_attempt();
    if core.change_request(failure) {
        return Transition::Request { delay_ms: 0 };
    }
    turn::retry(core, failure)
}

/// Stops the early calls of a void answer.
fn abandon(core: &mut Core, calls: &SpeculativeCalls) {
    if !calls.is_empty() {
        core.emit(Command::AbandonSpeculative { answer: calls.answer() });
    }
}

/// Returns the failure of an answer whose stream ended without an error, if the answer is void. Text of an
/// answer that the provider marks as failed is not a result (RULES S12).
pub(super) fn failure_of(answer: &Answer) -> Option<StreamFailure> {
    if let Some(error) = &answer.error {
        return Some(convert_error(error));
    }
    let raw = || answer.raw_stop.as_deref().unwrap_or_default();
    let message = match (answer.ending, &answer.stop) {
        (_, Some(StopReason::Error)) => format!("the provider ended the answer with an error: {}", raw()),
        (Ending::Dropped, Some(StopReason::Unknown(_))) => {
            format!("the provider ended the answer for an unknown reason: {}", raw())
        }
        (Ending::Dropped, _) => "the connection ended before the answer was complete".to_owned(),
        _ => return None,
    };
    Some(StreamFailure::new(message, true))
}

/// Converts an error that the provider reported inside the stream, and sets the subject from its kind.
fn convert_error(error: &StreamError) -> StreamFailure {
    let failure =
        StreamFailure::new(error.to_string(), error.is_retryable()).with_retry_after_ms(error.retry_after_ms);
    match error.kind {
        StreamErrorKind::ContextLength => failure.mark_length(),
        StreamErrorKind::Unsupported => failure.mark_protocol(),
        StreamErrorKind::Request
            if names_image(error.code.as_deref(), error.parameter.as_deref(), &error.message) =>
        {
            failure.mark_image()
        }
        _ => failure,
    }
}
