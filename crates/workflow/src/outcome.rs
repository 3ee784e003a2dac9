//! How a workflow and its steps end, and what is told meanwhile.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_agent::{Event, Wait};

use crate::StepKey;

/// How a workflow ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkflowOutcome {
    /// Every step has ended.
    Completed {
        /// What came of it.
        output: Value,
    },
    /// A step failed, and nothing goes on behind it.
    Failed {
        /// Which.
        step: StepKey,
        /// Why.
        message: String,
    },
    /// What is left waits for something that nobody in this process gives. The run can be gone on with in another one.
    Suspended {
        /// For what, in the order of the steps.
        waits: Vec<WaitingStep>,
    },
    /// Somebody stopped it. The run can be gone on with.
    Stopped,
}

/// A step that waits for something from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaitingStep {
    /// Which step.
    pub step: StepKey,
    /// For what.
    pub wait: Wait,
}

impl WaitingStep {
    pub(crate) fn new(step: StepKey, wait: Wait) -> Self {
        Self { step, wait }
    }
}

/// How a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepStatus {
    /// It has its output.
    Ok,
    /// It has failed.
    Failed,
    /// It was left out.
    Skipped,
}

/// What is told of a workflow that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "workflow_event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkflowEvent {
    /// A step makes its call.
    StepStarted {
        /// Which.
        step: StepKey,
        /// How often it did, with this one.
        attempt: u32,
        /// The tool.
        tool: String,
    },
    /// Something happens to a step's call.
    Call {
        /// Which step.
        step: StepKey,
        /// What.
        event: Box<Event>,
    },
    /// A step has ended.
    StepEnded {
        /// Which.
        step: StepKey,
        /// How.
        status: StepStatus,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The workflow has ended, for this process at least.
    Ended {
        /// How.
        outcome: WorkflowOutcome,
    },
}
