//! Outcomes of workflows and steps, and the events of a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_agent::{Event, Wait};

use crate::StepKey;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkflowOutcome {
    /// Every step has ended.
    Completed {
        /// The output of the workflow.
        output: Value,
    },
    /// A step failed and stopped the workflow.
    Failed {
        /// The key of the step.
        step: StepKey,
        /// The error of the step.
        message: String,
    },
    /// The remaining steps wait for an answer or a result from outside. The run can be resumed in any
    /// process.
    Suspended {
        /// The waits, in the order of the steps.
        waits: Vec<WaitingStep>,
    },
    /// The run was cancelled. It can be resumed.
    Stopped,
}

/// A step that waits for an answer or a result from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaitingStep {
    /// The key of the step.
    pub step: StepKey,
    /// The reason for the wait.
    pub wait: Wait,
}

impl WaitingStep {
    pub(crate) fn new(step: StepKey, wait: Wait) -> Self {
        Self { step, wait }
    }
}

/// The final status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepStatus {
    /// The step succeeded.
    Ok,
    /// The step failed.
    Failed,
    /// The step was skipped.
    Skipped,
}

/// An event of a running workflow, for the listener of
/// [`WorkflowOptions::with_listener`](crate::WorkflowOptions::with_listener).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "workflow_event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkflowEvent {
    /// A step starts its call.
    StepStarted {
        /// The key of the step.
        step: StepKey,
        /// The number of this attempt, starting at 1.
        attempt: u32,
        /// The name of the tool.
        tool: String,
    },
    /// An event of a step's call.
    Call {
        /// The key of the step.
        step: StepKey,
        /// The event of the agent that makes the call.
        event: Box<Event>,
    },
    /// A step has ended.
    StepEnded {
        /// The key of the step.
        step: StepKey,
        /// The final status.
        status: StepStatus,
        /// The error, if the step failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The run has ended in this process.
    Ended {
        /// The outcome.
        outcome: WorkflowOutcome,
    },
}
