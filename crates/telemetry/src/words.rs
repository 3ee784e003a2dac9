//! The words by which attributes call things.

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

/// Who runs a tool: this program, or another one that the agent asks (`gen_ai.tool.type`).
pub(crate) fn tool_type(payload: &Payload) -> &'static str {
    match payload {
        Payload::Mcp { .. } => "extension",
        _ => "function",
    }
}

/// Why an answer ended, in the words that the conventions have for messages, where they have one.
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

/// How a run ended, and as what kind of error, if as one.
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

/// Which question has ended, and how.
pub(crate) fn approval(outcome: &ApprovalOutcome) -> (&str, &'static str) {
    match outcome {
        ApprovalOutcome::Answered(answer) if answer.approved => (&answer.request_id, "approved"),
        ApprovalOutcome::Answered(answer) => (&answer.request_id, "refused"),
        ApprovalOutcome::TimedOut { request_id } => (request_id, "timed_out"),
        ApprovalOutcome::NoApprover { request_id } => (request_id, "no_approver"),
        _ => ("", "unknown"),
    }
}
