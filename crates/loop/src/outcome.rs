//! How a run ends.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_protocol::CallId;

use crate::ConsultationId;

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The task is done.
    Completed {
        /// What the model says about it.
        text: String,
    },
    /// The run stopped before the task was done. It can be resumed.
    Stopped {
        /// Why.
        cause: StopCause,
    },
    /// The run waits for something that nobody in this process gives. It can be resumed in another one, and nothing is
    /// left here to wait.
    Suspended {
        /// What it waits for, in call order.
        waits: Vec<Wait>,
    },
    /// The run cannot go on.
    Failed {
        /// Why, for the human.
        message: String,
    },
}

/// Why a run stopped before the task was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopCause {
    /// Somebody stopped it.
    Cancelled,
    /// The most turns were used.
    TurnLimit,
    /// Too many turns in a row brought nothing but mistakes, and nobody was there to help.
    MistakeLimit,
    /// The budget is used, and nobody said that the run may go on.
    Budget,
    /// The model refused, or a filter of its provider did.
    Refused,
}

impl fmt::Display for StopCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "it was cancelled",
            Self::TurnLimit => "the most turns were used",
            Self::MistakeLimit => "the model made too many mistakes in a row",
            Self::Budget => "its budget is used",
            Self::Refused => "the model refused",
        })
    }
}

/// What a suspended run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wait", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wait {
    /// For a yes or no to a call.
    Approval {
        /// The call.
        call: CallId,
        /// The question, as it stands in the record.
        request_id: String,
    },
    /// For the result of a call that goes on elsewhere.
    Result {
        /// The call.
        call: CallId,
    },
    /// For the human's word on whether and how the run goes on.
    Guidance {
        /// The id that the answer repeats. Records before version 6 do not have it.
        #[serde(default)]
        id: ConsultationId,
        /// The question.
        question: String,
    },
}
