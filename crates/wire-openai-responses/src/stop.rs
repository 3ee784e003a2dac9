//! Stop reasons.

use windlass_protocol::StopReason;

/// Facts about the content of an answer that affect the stop reason and are not in the response's `status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldContent {
    pub(crate) calls: bool,
    pub(crate) refusal: bool,
    /// A call that the provider marks as cut.
    pub(crate) cut: bool,
}

/// Maps the status of a response, and the reason if it is incomplete, to our stop reason.
pub(crate) fn stop_reason(status: &str, incomplete: &str, held: HeldContent) -> StopReason {
    match (status, incomplete) {
        // An answer with a cut call is not complete, even if its status claims so (RULES S10).
        ("completed", _) if held.cut => StopReason::Length,
        ("completed", _) if held.refusal => StopReason::Refusal,
        ("completed", _) if held.calls => StopReason::Calls,
        ("completed", _) => StopReason::End,
        ("incomplete", "content_filter") => StopReason::ContentFilter,
        ("incomplete", "" | "max_output_tokens" | "max_tokens" | "length") => StopReason::Length,
        // A call that was cut must not run, for whatever reason it was cut.
        ("incomplete" | "failed" | "cancelled", _) => StopReason::Error,
        (other, _) => StopReason::Unknown(other.to_owned()),
    }
}
