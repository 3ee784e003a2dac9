//! Stop reasons.

use windlass_protocol::StopReason;

/// Maps a stop reason of the API to ours. Returns `Unknown` for one that is not documented.
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
