//! A model's failure in the words of the client's format.

use windlass_model::{ModelError, ModelErrorKind};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// A failure before the answer began.
pub(crate) fn of_model(error: &ModelError) -> ProviderError {
    let kind = match error.kind {
        ModelErrorKind::Refused | ModelErrorKind::Unsupported | ModelErrorKind::Image => {
            ProviderErrorKind::Request
        }
        ModelErrorKind::ContextLength => ProviderErrorKind::ContextLength,
        ModelErrorKind::RateLimit => ProviderErrorKind::RateLimit,
        // The gateway's own key or address is wrong; nothing that its client could mend.
        _ => ProviderErrorKind::Server,
    };
    ProviderError::new(kind, None, error.to_string()).with_retry_after(error.retry_after)
}

/// A failure in the middle of the answer.
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

/// Why an answer ends before its model ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The model's stream ended without its end.
    Upstream,
    /// This server stops.
    Stopping,
}

/// An answer that ends before its model ended it.
pub(crate) fn of_broken(broken: Broken) -> Chunk {
    let message = match broken {
        Broken::Upstream => "the model's answer ended before it was whole",
        Broken::Stopping => "the server stops; the answer is not whole",
    };
    Chunk::Error { error: StreamError::new(StreamErrorKind::Server, None, message) }
}

/// A request that comes while the server stops.
pub(crate) fn of_stopping() -> ProviderError {
    ProviderError::new(ProviderErrorKind::Server, None, "the server stops")
}

/// A request that cannot be taken.
pub(crate) fn of_request(what: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, what)
}
