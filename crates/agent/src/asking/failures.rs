//! The failures of a request, as the machine receives them.

use windlass_loop::StreamFailure;
use windlass_protocol::{Refusal, RefusalKind};
use windlass_stream::{ModelError, ModelErrorKind, names_image};

/// Returns a failure if the provider would refuse the request.
pub(super) fn check_refusals(refusals: &[Refusal]) -> Result<(), StreamFailure> {
    let Some(first) = refusals.first() else { return Ok(()) };
    let more = refusals.len().saturating_sub(1);
    let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    let failure = StreamFailure::new(format!("the provider would refuse this request: {first}{more}"), false);
    let is_about_image = refusals.iter().any(|refusal| match refusal.kind {
        RefusalKind::Image => true,
        RefusalKind::File => false,
        _ => names_image(None, None, &refusal.what),
    });
    Err(if is_about_image { failure.mark_image() } else { failure })
}

/// Returns the failure of a request that got no answer.
pub(super) fn to_request_failure(error: &ModelError) -> StreamFailure {
    match error.kind {
        ModelErrorKind::Idle | ModelErrorKind::Dropped => to_stream_failure(error),
        ModelErrorKind::ContextLength => to_stream_failure(error).final_word().mark_length(),
        ModelErrorKind::Unsupported => to_stream_failure(error).final_word().mark_protocol(),
        ModelErrorKind::Image => to_stream_failure(error).final_word().mark_image(),
        // Other implementations of `Model` possibly report the error as `Refused` instead of `Image`.
        ModelErrorKind::Refused if names_image(None, None, &error.message) => {
            to_stream_failure(error).final_word().mark_image()
        }
        _ => to_stream_failure(error).final_word(),
    }
}

/// Returns the failure of an answer that broke off.
pub(super) fn to_stream_failure(error: &ModelError) -> StreamFailure {
    let wait = error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    StreamFailure::new(error.to_string(), error.is_retryable()).with_retry_after_ms(wait)
}
