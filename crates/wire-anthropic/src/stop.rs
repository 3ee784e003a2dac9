//! Why the model stopped.

use windlass_protocol::StopReason;

/// The stop reasons that the API documents.
pub(crate) fn stop_reason(raw: &str) -> StopReason {
    match raw {
        "end_turn" | "" => StopReason::End,
        "tool_use" => StopReason::Calls,
        "max_tokens" => StopReason::Length,
        "model_context_window_exceeded" => StopReason::ContextWindow,
        "stop_sequence" => StopReason::StopSequence,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Refusal,
        other => StopReason::Unknown(other.to_owned()),
    }
}
