//! The handling of an answer without a call.

use windlass_protocol::{Message, StopReason};

use super::turn::complete;
use crate::core::Core;
use crate::transition::Transition;
use crate::words::NoCall;
use crate::{InterruptReason, MessageSource, StopCause, StreamFailure};

/// Handles an answer without a call. Without a completion tool, text ends the task; with one, the model is
/// asked to use a tool, a limited number of times (RULES L3), unless the task may end with text.
pub(super) fn handle_no_call(core: &mut Core, has_words: bool, stop: Option<&StopReason>) -> Transition {
    if stop == Some(&StopReason::Pause) {
        return Transition::NextTurn;
    }
    if matches!(stop, Some(StopReason::Refusal | StopReason::ContentFilter)) {
        return Transition::stop(StopCause::Refused);
    }
    let kind = NoCall::from_answer(has_words, stop);
    if kind == NoCall::TextOnly && core.config().ends_with_text {
        return end_with_text(core, kind);
    }
    let Some(tool) = core.config().completion_tool().map(str::to_owned) else {
        return end_with_text(core, kind);
    };
    if let Some(question) = core.nudges_question() {
        return Transition::Interrupt { reason: InterruptReason::Mistakes, question };
    }
    core.count_nudge();
    core.push_user(MessageSource::Nudge, &kind.nudge(&tool));
    Transition::NextTurn
}

fn end_with_text(core: &mut Core, kind: NoCall) -> Transition {
    let failure = match kind {
        NoCall::TextOnly => {
            let newest = core.transcript().messages().last();
            let text = newest.map(Message::text).unwrap_or_default();
            return complete(core, text, false);
        }
        NoCall::Cut => "the answer was cut at the limit of tokens",
        NoCall::Empty => "the model gave only empty answers",
    };
    Transition::fail(&StreamFailure::new(failure, false))
}
