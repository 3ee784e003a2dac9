//! Attribute values for enums of the protocol.

use windlass_hitl::{ApprovalOutcome, Verdict};
use windlass_loop::{Outcome, StopCause};
use windlass_protocol::{Payload, Risk, StopReason, ToolProtocol};

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

pub(crate) fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
        Risk::Critical => "critical",
    }
}

pub(crate) fn protocol(protocol: ToolProtocol) -> &'static str {
    match protocol {
        ToolProtocol::Native => "native",
        ToolProtocol::Structured => "structured",
        ToolProtocol::Text => "text",
    }
}

/// Returns `gen_ai.tool.type`: `function` if this program runs the tool, `extension` if another program does.
pub(crate) fn tool_type(payload: &Payload) -> &'static str {
    match payload {
        Payload::Mcp { .. } => "extension",
        _ => "function",
    }
}

/// Returns the finish reason. Uses the name in the conventions for messages where one exists.
pub(crate) fn finish_reason(reason: &StopReason) -> &str {
    match reason {
        StopReason::End | StopReason::StopSequence => "stop",
        StopReason::Calls => "tool_call",
        StopReason::Length | StopReason::ContextWindow => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::Refusal => "refusal",
        StopReason::Pause => "pause",
        StopReason::Error => "error",
        StopReason::Unknown(word) => word,
        _ => "unknown",
    }
}

/// Returns the outcome of a run, and its `error.type` if it is an error.
pub(crate) fn outcome(outcome: &Outcome) -> (&'static str, Option<&'static str>) {
    match outcome {
        Outcome::Completed { .. } => ("completed", None),
        Outcome::Suspended { .. } => ("suspended", None),
        Outcome::Stopped { cause } => ("stopped", Some(stop_cause(cause))),
        Outcome::Failed { .. } => ("failed", Some("model_failed")),
        _ => ("unknown", None),
    }
}

fn stop_cause(cause: &StopCause) -> &'static str {
    match cause {
        StopCause::Cancelled => "cancelled",
        StopCause::TurnLimit => "turn_limit",
        StopCause::MistakeLimit => "mistake_limit",
        StopCause::Budget => "budget",
        StopCause::Refused => "refused",
        _ => "_OTHER",
    }
}

/// Returns the id of the question that ended, and its outcome.
pub(crate) fn approval(outcome: &ApprovalOutcome) -> (&str, &'static str) {
    match outcome {
        ApprovalOutcome::Answered(answer) if answer.approved => (&answer.request_id, "approved"),
        ApprovalOutcome::Answered(answer) => (&answer.request_id, "refused"),
        ApprovalOutcome::TimedOut { request_id } => (request_id, "timed_out"),
        ApprovalOutcome::NoApprover { request_id } => (request_id, "no_approver"),
        _ => ("", "unknown"),
    }
}
