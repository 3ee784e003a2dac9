//! The phase in which the model summarizes the turns that will be removed.

use windlass_assemble::{Answer, AssembleOptions, Assembler, Ending};
use windlass_protocol::{Message, StopReason};

use super::turn;
use crate::attempts::BACKOFF_MS;
use crate::conversation::SummaryPlan;
use crate::core::Core;
use crate::transition::Transition;
use crate::{Command, Input, StopCause, StreamFailure, words};

/// Number of requests for a summary before the turns are removed without one.
const ATTEMPTS: u32 = 2;

/// A summary that arrives.
#[derive(Debug)]
pub(crate) struct Condensing {
    assembler: Assembler,
    plan: SummaryPlan,
    /// Number of the attempt, from 1.
    attempt: u32,
}

impl Condensing {
    /// Asks the model to summarize the turns of the plan.
    pub(super) fn request(core: &mut Core, plan: SummaryPlan) -> Self {
        core.begin_summary();
        core.request_summary(words::SUM_UP, 0);
        Self { assembler: Assembler::new(AssembleOptions::default()), plan, attempt: 1 }
    }

    pub(super) fn step(&mut self, core: &mut Core, input: Input) -> Option<Transition> {
        match input {
            Input::Chunk(chunk) => {
                core.note_model(&chunk);
                // Calls in a summary are neither run nor shown.
                self.assembler.push(chunk, &mut Vec::new());
                None
            }
            Input::StreamEnd(end) => self.end(core, end),
            Input::Cancel => {
                core.emit(Command::CloseStream);
                let answer = self.take_answer();
                core.count_usage(&answer.usage);
                Some(Transition::stop(StopCause::Cancelled))
            }
            other => {
                core.refuse_input(other);
                None
            }
        }
    }

    /// Ends the present attempt. The next one starts with an empty assembler.
    fn take_answer(&mut self) -> Answer {
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(AssembleOptions::default()));
        assembler.finish(&mut Vec::new())
    }

    /// Applies the summary, or requests it once more. If no summary can be obtained, the turns are removed
    /// without one, because the window is full.
    fn end(&mut self, core: &mut Core, end: Result<(), StreamFailure>) -> Option<Transition> {
        let answer = self.take_answer();
        core.count_usage(&answer.usage);
        if let Err(failure) = &end
            && core.remove_refused_images(failure)
        {
            // This removal replaces content but keeps all messages, so the positions of the plan stay valid.
            core.discard_attempt();
            core.request_summary(words::SUM_UP, 0);
            return None;
        }
        let (may_ask_again, wait_ms) = match &end {
            Ok(()) => (true, 0),
            Err(failure) => (failure.retryable, failure.retry_after_ms.unwrap_or(0)),
        };
        let (summary, failure) = match end {
            Ok(()) => (summary_of(&answer), None),
            Err(failure) => (None, Some(failure)),
        };
        if summary.is_none() && may_ask_again && self.attempt < ATTEMPTS {
            core.discard_attempt();
            self.attempt = self.attempt.saturating_add(1);
            core.request_summary(words::SUM_UP, wait_ms.max(BACKOFF_MS));
            return None;
        }
        if summary.is_none() && core.only_compacts() {
            // The window is not full, so the turns stay.
            return Some(Transition::fail(&failure.unwrap_or_else(|| {
                StreamFailure::new("the model wrote no summary, so the conversation stays as it is", false)
            })));
        }
        core.apply_summary(self.plan, summary.as_deref(), answer.usage);
        Some(turn::request(core))
    }
}

/// Returns the text of a summary that ended normally. An incomplete or refused summary would hide a part of
/// the work.
fn summary_of(answer: &Answer) -> Option<String> {
    let is_whole = answer.error.is_none()
        && answer.ending == Ending::Complete
        && matches!(answer.stop, Some(StopReason::End | StopReason::StopSequence));
    let text = Message::assistant(answer.parts.clone()).text();
    (is_whole && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
