//! Steps as data: their work, their changes and their ends.

use windlass_loop::StepClass;

use crate::data::{CallDone, CallStep, SendOutput, SendStep};

/// A step for a worker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScheduledStep {
    pub(crate) number: u64,
    pub(crate) class: StepClass,
    pub(crate) work: Work,
}

/// The work of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    Send { step: Box<SendStep>, delay_ms: u64 },
    Decide(Box<CallStep>),
    Run(Box<CallStep>),
    Reconcile(Box<CallStep>),
}

/// A change of a scheduled step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepChange {
    /// Stop the step and ignore its result.
    Drop(u64),
    /// Stop all running calls. Their results still arrive.
    StopCalls,
}

/// The end of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepEnd {
    /// The answer of a model.
    Sent(Box<SendOutput>),
    /// The result of a step about a call.
    Called(Box<CallDone>),
    /// The step was stopped before it began.
    Cancelled,
    /// The step failed before it had an effect.
    Failed(String),
    /// The worker ended during the step, or the step took too long. Its effects are unknown.
    Lost(String),
}
