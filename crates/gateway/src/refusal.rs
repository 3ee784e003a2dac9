//! A model's failure in the words of the client's format.

use windlass_model::{ModelError, ModelErrorKind};
use windlass_stream::{Chunk, StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// A failure before the answer began.
pub(crate) fn of_model(error: &ModelError) -> ProviderError {
    let kind = match error.kind {
        ModelErrorKind::Refused | ModelErrorKind::Unsupported => ProviderErrorKind::Request,
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
        ModelErrorKind::Refused | ModelErrorKind::ContextLength => StreamErrorKind::Request,
        _ => StreamErrorKind::Server,
    };
    Chunk::Error { error: StreamError::new(kind, None, error.to_string()) }
}

/// A request that cannot be taken.
pub(crate) fn of_request(what: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, what)
}
