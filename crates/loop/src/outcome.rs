//! The outcome of a run.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::CallId;

use crate::InterruptId;

/// The outcome of a run.
///
/// Only [`Completed`](Self::Completed) has the model's text. A stopped or suspended run can be resumed from its journal, and
/// later versions can add variants, so a `match` needs a last arm.
///
/// ```
/// use windlass_loop::{Outcome, StopCause};
///
/// fn exit_code(outcome: &Outcome) -> u8 {
///     match outcome {
///         Outcome::Completed { .. } => 0,
///         Outcome::Suspended { .. } => 75,
///         Outcome::Stopped { cause: StopCause::Cancelled } => 130,
///         _ => 1,
///     }
/// }
/// assert_eq!(exit_code(&Outcome::Completed { text: "Done.".to_owned() }), 0);
/// assert_eq!(exit_code(&Outcome::Stopped { cause: StopCause::TurnLimit }), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The task is done.
    Completed {
        /// The model's summary of its work.
        text: String,
    },
    /// The run stopped before the task was done. It can be resumed.
    Stopped {
        /// The cause.
        cause: StopCause,
    },
    /// The run waits for an answer or a result from outside this process. It can be resumed in another
    /// process, and nothing in this process waits for it.
    Suspended {
        /// The open questions and results, in call order.
        waits: Vec<Wait>,
    },
    /// The run failed.
    Failed {
        /// The error, for the human.
        message: String,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed { text } => f.write_str(text),
            Self::Stopped { cause } => write!(f, "the run stopped: {cause}"),
            Self::Suspended { waits } => write!(f, "the run waits for {} answers or results", waits.len()),
            Self::Failed { message } => write!(f, "the run failed: {message}"),
        }
    }
}

/// The cause of a stop before the task was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopCause {
    /// The run was cancelled.
    Cancelled,
    /// The limit on turns was reached.
    TurnLimit,
    /// Too many consecutive turns brought mistakes or answers without a call, and the human did not give
    /// guidance.
    MistakeLimit,
    /// The budget is used, and the human did not let the run continue.
    Budget,
    /// The model refused the task, or a filter of its provider did.
    Refused,
}

impl fmt::Display for StopCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "it was cancelled",
            Self::TurnLimit => "the turn limit was reached",
            Self::MistakeLimit => "the model made too many mistakes in a row",
            Self::Budget => "its budget is used up",
            Self::Refused => "the model refused",
        })
    }
}

/// An answer or a result that a suspended run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wait", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wait {
    /// The answer to the approval request of a call.
    Approval {
        /// The id of the call.
        call: CallId,
        /// The id of the approval request, as recorded.
        request_id: String,
    },
    /// The result of a call that continues outside the process.
    Result {
        /// The id of the call.
        call: CallId,
    },
    /// The human's answer to a question about how the run continues.
    #[serde(rename = "guidance")]
    InterruptReply {
        /// The id that the answer repeats. Records before version 6 do not have it.
        #[serde(default)]
        id: InterruptId,
        /// The question.
        question: String,
    },
}
