//! The failures that an answer itself shows.

use windlass_assemble::{Answer, Ending};
use windlass_protocol::StopReason;
use windlass_stream::{StreamError, StreamErrorKind, names_image};

use crate::StreamFailure;

/// Returns the failure of an answer whose stream ended without an error, if the answer is void. Text of an
/// answer that the provider marks as failed is not a result (RULES S12).
pub(super) fn failure_of(answer: &Answer) -> Option<StreamFailure> {
    if let Some(error) = &answer.error {
        return Some(convert_error(error));
    }
    let raw = || answer.raw_stop.as_deref().unwrap_or_default();
    let message = match (answer.ending, &answer.stop) {
        (_, Some(StopReason::Error)) => format!("the provider ended the answer with an error: {}", raw()),
        (Ending::Dropped, Some(StopReason::Unknown(_))) => {
            format!("the provider ended the answer for a reason that is not known here: {}", raw())
        }
        (Ending::Dropped, _) => "the connection ended before the answer did".to_owned(),
        _ => return None,
    };
    Some(StreamFailure::new(message, true))
}

/// Converts an error that the provider reported inside the stream, and sets the subject from its kind.
fn convert_error(error: &StreamError) -> StreamFailure {
    let failure =
        StreamFailure::new(error.to_string(), error.is_retryable()).with_retry_after_ms(error.retry_after_ms);
    match error.kind {
        StreamErrorKind::ContextLength => failure.of_length(),
        StreamErrorKind::Unsupported => failure.of_protocol(),
        StreamErrorKind::Request
            if names_image(error.code.as_deref(), error.parameter.as_deref(), &error.message) =>
        {
            failure.of_image()
        }
        _ => failure,
    }
}
