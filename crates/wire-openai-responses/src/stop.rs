//! Why the model stopped.

use windlass_protocol::StopReason;

/// What the answer holds that its status does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) calls: bool,
    pub(crate) refusal: bool,
    /// A call that the provider says was cut.
    pub(crate) cut: bool,
}

/// The statuses of a response, and the reasons of an incomplete one.
pub(crate) fn stop_reason(status: &str, incomplete: &str, held: Held) -> StopReason {
    match (status, incomplete) {
        // An answer is not more whole than its calls, whatever it says of itself (RULES S10).
        ("completed", _) if held.cut => StopReason::Length,
        ("completed", _) if held.refusal => StopReason::Refusal,
        ("completed", _) if held.calls => StopReason::Calls,
        ("completed", _) => StopReason::End,
        ("incomplete", "content_filter") => StopReason::ContentFilter,
        ("incomplete", "" | "max_output_tokens" | "max_tokens" | "length") => StopReason::Length,
        // Whatever cut it, what was cut must not run.
        ("incomplete" | "failed" | "cancelled", _) => StopReason::Error,
        (other, _) => StopReason::Unknown(other.to_owned()),
    }
}
