//! Conversion of model errors into errors of the client's format.

pub(crate) mod api;

use windlass_protocol::StopReason;
use windlass_stream::{Chunk, ModelError, ModelErrorKind, StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// Converts an error before the response started. The provider's own error keeps its kind, its status, its code
/// and its parameter, because the client can act on each.
pub(crate) fn from_model_error(error: &ModelError) -> ProviderError {
    let cause = error.source.as_ref().and_then(|source| source.downcast_ref::<ProviderError>());
    if let Some(cause) = cause {
        let mut own = cause.clone().with_retry_after(error.retry_after);
        own.message = error.to_string();
        return own;
    }
    let kind = match error.kind {
        ModelErrorKind::Refused | ModelErrorKind::Unsupported | ModelErrorKind::Image => {
            ProviderErrorKind::Request
        }
        ModelErrorKind::ContextLength => ProviderErrorKind::ContextLength,
        ModelErrorKind::RateLimit => ProviderErrorKind::RateLimit,
        // The cause is the gateway's own configuration, which the client cannot fix.
        _ => ProviderErrorKind::Server,
    };
    ProviderError::new(kind, None, error.to_string()).with_retry_after(error.retry_after)
}

/// Converts an error in the middle of the response.
pub(crate) fn in_stream(error: &ModelError) -> Chunk {
    let kind = match error.kind {
        ModelErrorKind::RateLimit => StreamErrorKind::RateLimit,
        ModelErrorKind::ContextLength => StreamErrorKind::ContextLength,
        ModelErrorKind::Refused | ModelErrorKind::Unsupported | ModelErrorKind::Image => {
            StreamErrorKind::Request
        }
        _ => StreamErrorKind::Server,
    };
    let error = StreamError::new(kind, None, error.to_string()).with_retry_after(error.retry_after);
    Chunk::Error { error }
}

/// Returns the error of an answer that a chunk ends without success.
pub(crate) fn failure(chunk: &Chunk) -> Option<ProviderError> {
    match chunk {
        Chunk::Error { error } => {
            let is_overload = error.kind == StreamErrorKind::Overloaded;
            let error = ProviderError::from_stream_error(error.clone());
            Some(if is_overload { error.with_status(529) } else { error })
        }
        Chunk::Finish { reason: StopReason::Error, raw } => {
            Some(ProviderError::new(ProviderErrorKind::Server, None, describe_failure(raw)))
        }
        _ => None,
    }
}

/// Returns the error chunk for an answer whose stop reason is a failure.
pub(crate) fn failure_chunk(raw: &str) -> Chunk {
    Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, describe_failure(raw)) }
}

fn describe_failure(raw: &str) -> String {
    match raw {
        "" => "the model's answer broke off".to_owned(),
        raw => format!("the model's answer broke off: {raw}"),
    }
}

/// The reason why a response ends before its model ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakReason {
    /// The model's stream ended without a finish chunk.
    Upstream,
    /// The server is stopping.
    Stopping,
}

/// Returns the error chunk for a truncated response.
pub(crate) fn truncation_chunk(broken: BreakReason) -> Chunk {
    let message = match broken {
        BreakReason::Upstream => "the model's answer ended before it was complete",
        BreakReason::Stopping => "the server shuts down; the answer is incomplete",
    };
    Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, message) }
}

/// Returns the error for a request that arrives while the server is stopping.
pub(crate) fn stopping_error() -> ProviderError {
    ProviderError::new(ProviderErrorKind::Server, None, "the server shuts down")
}

/// Returns the error for an invalid request.
pub(crate) fn invalid_request(what: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, what)
}
