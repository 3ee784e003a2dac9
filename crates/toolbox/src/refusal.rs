//! The refusal of a call: the problem, and the next step for the model.

use windlass_protocol::{ResultStatus, ToolCall, ToolResult};

/// The reason why a call does not run.
#[derive(Clone, Debug)]
pub(crate) struct CallRefusal {
    /// The status of the result.
    pub(crate) status: ResultStatus,
    /// The problem, for the person and the model.
    pub(crate) text: String,
    /// The next step, for the model only.
    pub(crate) advice: Option<String>,
}

impl CallRefusal {
    /// Creates a refusal without a next step.
    pub(crate) fn new(status: ResultStatus, text: impl Into<String>) -> Self {
        Self { status, text: text.into(), advice: None }
    }

    /// Sets the next step.
    pub(crate) fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Creates the result of the call.
    pub(crate) fn into_result(self, call: &ToolCall) -> Box<ToolResult> {
        let Self { status, text, advice } = self;
        Box::new(ToolResult::text(call.id.clone(), status, text).with_advice(advice))
    }
}
