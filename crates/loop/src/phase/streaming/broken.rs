//! Answers that are void or cut short: the stream broke off, the provider reported an error, or the run was
//! cancelled.

use windlass_assemble::{Answer, AssembleOptions, Assembler, Ending};
use windlass_protocol::{Message, Part, StopReason, Usage};
use windlass_stream::{StreamError, StreamErrorKind, names_image};

use super::Streaming;
use crate::core::Core;
use crate::phase::turn;
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Command, Entry, Event, FailureSubject, MessageSource, StopCause, StreamFailure, words};

impl Streaming {
    /// Keeps the text of an answer that was cancelled, and drops its calls.
    pub(super) fn cancel(&mut self, core: &mut Core) -> Transition {
        core.emit(Command::CloseStream);
        abandon(core, &self.speculative);
        self.close_text(core);
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(AssembleOptions::default()));
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
                prices: core.answer_prices(),
            };
            core.record_answer(message, entry);
        }
        Transition::stop(StopCause::Cancelled)
    }
}

/// Handles an answer that broke off: changes the request if the failure shows how, and otherwise repeats it.
pub(super) fn break_off(
    core: &mut Core,
    usage: &Usage,
    calls: &SpeculativeCalls,
    failure: &StreamFailure,
) -> Transition {
    // The provider also charges for an answer that broke off (RULES H10).
    core.count_usage(usage);
    abandon(core, calls);
    core.discard_attempt();
    if failure.subject == FailureSubject::Hook && failure.retryable {
        core.show(Event::AttemptDiscarded { reason: failure.message.clone(), delay_ms: 0 });
        core.push_user(MessageSource::Hook, &words::refuse_answer(&failure.message));
        return Transition::NextTurn;
    }
    if core.change_request(failure) {
        return Transition::Request { delay_ms: 0 };
    }
    turn::retry(core, failure)
}

/// Stops the early calls of a void answer.
pub(super) fn abandon(core: &mut Core, calls: &SpeculativeCalls) {
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
