//! Why the model stopped.

use windlass_protocol::StopReason;

/// The finish reasons of OpenAI, and those that compatible servers were seen to use.
pub(crate) fn stop_reason(raw: &str) -> StopReason {
    match raw {
        "stop" | "" | "end_turn" | "eos" | "eos_token" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" | "max_tokens" => StopReason::Length,
        // Mistral says so where the model's window is full.
        "model_length" => StopReason::ContextWindow,
        "content_filter" => StopReason::ContentFilter,
        "stop_sequence" => StopReason::StopSequence,
        // OpenRouter says `error` when the provider behind it failed, DeepSeek the other when it ran out of
        // machines.
        "error" | "insufficient_system_resource" => StopReason::Error,
        other => StopReason::Unknown(other.to_owned()),
    }
}
