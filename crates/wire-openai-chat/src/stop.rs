//! Stop reasons.

use windlass_protocol::StopReason;

/// Maps a finish reason to ours: OpenAI's, and those that compatible servers were observed to use.
pub(crate) fn stop_reason(raw: &str) -> StopReason {
    match raw {
        "stop" | "" | "end_turn" | "eos" | "eos_token" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" | "max_tokens" => StopReason::Length,
        // Mistral sends this reason when the model's context window is full.
        "model_length" => StopReason::ContextWindow,
        "content_filter" => StopReason::ContentFilter,
        "stop_sequence" => StopReason::StopSequence,
        // OpenRouter sends `error` when its provider failed; DeepSeek sends `insufficient_system_resource` when it
        // lacks capacity.
        "error" | "insufficient_system_resource" => StopReason::Error,
        other => StopReason::Unknown(other.to_owned()),
    }
}
