//! The transitions between the phases of a run.

use windlass_protocol::{ToolCall, ToolResult};

use crate::conversation::SummaryPlan;
use crate::speculative_calls::SpeculativeCalls;
use crate::{InterruptReason, Outcome, StopCause, StreamFailure};

/// The step that follows a phase. A phase ends by returning a transition, and does not know the phase that
/// comes next; `Phase::enter` creates it.
#[derive(Debug)]
#[must_use]
pub(crate) enum Transition {
    /// Start the next turn, unless a limit, a question or a compaction comes first.
    NextTurn,
    /// Request an answer after this delay.
    Request {
        /// The delay in milliseconds.
        delay_ms: u64,
    },
    /// Ask the model to summarize the turns that the plan removes.
    Summarize(SummaryPlan),
    /// Execute the calls of an answer.
    Execute {
        /// All calls of the answer, in their order.
        calls: Vec<ToolCall>,
        /// The results of the calls that cannot run.
        refused: Vec<ToolResult>,
        /// The calls that started while the answer streamed.
        speculative: SpeculativeCalls,
    },
    /// Ask the human how the run continues.
    Interrupt {
        /// The reason why the human is asked.
        reason: InterruptReason,
        /// The question.
        question: String,
    },
    /// End the run.
    End(Outcome),
}

impl Transition {
    /// Ends the run before the task was done.
    pub(crate) fn stop(cause: StopCause) -> Self {
        Self::End(Outcome::Stopped { cause })
    }

    /// Ends the run with the failure of an answer.
    pub(crate) fn fail(failure: &StreamFailure) -> Self {
        Self::End(Outcome::Failed { message: failure.message.clone() })
    }
}
