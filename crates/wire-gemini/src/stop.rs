//! Stop reasons.

use windlass_protocol::StopReason;

/// Maps a finish reason that the API documents to ours. Returns `Unknown` for another one.
pub(crate) fn stop_reason(raw: &str) -> StopReason {
    // Some gateways write the enum's numbers; the Gemini API and Vertex AI agree on the first four only.
    match raw {
        "STOP" | "1" | "" => StopReason::End,
        // A request with the answer's token continues it; without one it ends here.
        "MAX_TOKENS" | "CONTINUATION" | "2" => StopReason::Length,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "MODEL_ARMOR"
        | "ESCALATION"
        | "PUP_LIMITED_DISABLED"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "3"
        | "4" => StopReason::ContentFilter,
        // The API rejected the model's output, so the text before it can end anywhere.
        "MALFORMED_FUNCTION_CALL"
        | "MALFORMED_RESPONSE"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MISSING_THOUGHT_SIGNATURE" => StopReason::Error,
        other => StopReason::Unknown(other.to_owned()),
    }
}
