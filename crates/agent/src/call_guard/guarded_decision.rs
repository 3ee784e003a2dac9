//! The outcome of a decision, and the changes of hooks to it.

use windlass_hitl::Objection;
use windlass_loop::CallDecision;
use windlass_protocol::{CallId, ResultStatus, ToolCall, ToolResult};

/// The changes of hooks to the decision about a call.
#[derive(Clone, Default)]
pub(crate) struct Amendments {
    /// The call in place of the model's call.
    pub(crate) rewritten: Option<ToolCall>,
    /// The objections, each with the id of its hook.
    pub(crate) objections: Vec<(String, Objection)>,
    /// The id of the hook that permits the call.
    pub(crate) permit: Option<String>,
}

/// The outcome of a decision.
pub(crate) struct GuardedDecision {
    pub(crate) decision: CallDecision,
    /// Descriptions of the coercions that were applied to the arguments.
    pub(crate) coerced: Vec<String>,
}

impl GuardedDecision {
    /// Returns the refusal of a call for which the decision failed.
    pub(crate) fn from_failure(call: &CallId, error: &dyn std::error::Error) -> Self {
        let text = format!("not run: the decision about it failed: {error}");
        let result = ToolResult::text(call.clone(), ResultStatus::Error, text);
        Self { decision: CallDecision::Refused(result), coerced: Vec::new() }
    }
}
