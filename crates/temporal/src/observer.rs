//! The reports of a worker about the steps that it executed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use temporalio_sdk::activities::ActivityError;
use windlass_loop::{Input, StepKind};
use windlass_protocol::Usage;
use windlass_stream::Chunk;

use crate::data::{CallOutput, SendOutput};

/// A step that a worker executed, for metrics.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// The id of the run.
    pub run: String,
    /// The kind of the work.
    pub kind: StepKind,
    /// `ok`, or a word for another end: the status of a tool's result, `failed`, `cancelled`,
    /// or `other_tools` if the run is pinned to tools that the worker does not have.
    pub outcome: &'static str,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The time that the worker took.
    pub duration: Duration,
    /// The tokens of an answer; all zero for other steps.
    pub usage: Usage,
}

/// The receiver of a worker's reports.
pub(crate) type StepObserver = Arc<dyn Fn(&StepReport) + Send + Sync>;

/// A step that is being executed. A step that is dropped before its end is reported as cancelled.
pub(crate) struct ObservedStep {
    observer: Option<StepObserver>,
    report: StepReport,
    begun: Instant,
}

impl ObservedStep {
    pub(crate) fn begin(observer: Option<&StepObserver>, run: &str, kind: StepKind, attempt: u32) -> Self {
        let (duration, usage) = (Duration::ZERO, Usage::default());
        let report = StepReport { run: run.to_owned(), kind, outcome: "cancelled", attempt, duration, usage };
        Self { observer: observer.cloned(), report, begun: Instant::now() }
    }

    /// Reports the end of the step, and returns its result.
    pub(crate) fn end<T: StepResult>(mut self, result: Result<T, ActivityError>) -> Result<T, ActivityError> {
        self.report.outcome = match &result {
            Ok(output) => output.outcome(),
            Err(ActivityError::Cancelled { .. }) => "cancelled",
            Err(_) => "failed",
        };
        self.report.usage = result.as_ref().map(StepResult::usage).unwrap_or_default();
        result
    }
}

impl Drop for ObservedStep {
    fn drop(&mut self) {
        self.report.duration = self.begun.elapsed();
        if let Some(observer) = &self.observer {
            observer(&self.report);
        }
    }
}

/// The part of a step's result that a report contains.
pub(crate) trait StepResult {
    fn outcome(&self) -> &'static str {
        "ok"
    }

    fn usage(&self) -> Usage {
        Usage::default()
    }
}

impl StepResult for crate::data::BeginOutput {}

impl StepResult for SendOutput {
    fn outcome(&self) -> &'static str {
        let is_failed = self.inputs.iter().any(|input| matches!(input, Input::StreamEnd(Err(_))));
        if is_failed { "failed" } else { "ok" }
    }

    fn usage(&self) -> Usage {
        // A later chunk replaces an earlier one.
        let last = self.inputs.iter().rev().find_map(|input| match input {
            Input::Chunk(Chunk::Usage { usage }) => Some(*usage),
            _ => None,
        });
        last.unwrap_or_default()
    }
}

impl StepResult for CallOutput {
    fn outcome(&self) -> &'static str {
        match self {
            Self::OtherTools => "other_tools",
            Self::Done(done) => match &done.input {
                Input::Result(result) => result.status.as_str(),
                Input::Fatal { .. } => "failed",
                _ => "ok",
            },
        }
    }
}
