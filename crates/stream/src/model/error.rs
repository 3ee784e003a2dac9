//! Errors of a model.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The kind of a failure, by the possible reaction of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The user's configuration is incomplete or wrong: an API key, an address, or the name of a model.
    Configuration,
    /// The provider cannot be reached.
    Unreachable,
    /// The provider rejected the request.
    Refused,
    /// The model does not support tool calls or structured output; the request may be sent with another tool
    /// protocol.
    Unsupported,
    /// The provider refused a picture of the request. Without its pictures the request may succeed.
    Image,
    /// The conversation exceeds the model's context window.
    ContextLength,
    /// Too many requests; the same request may succeed later.
    RateLimit,
    /// The provider failed or is overloaded; the same request may succeed later.
    Server,
    /// The idle timeout expired: no data arrived for too long.
    Idle,
    /// The connection broke during the answer, or the received data is not JSON, as after a cut or from a proxy.
    Dropped,
    /// The answer is JSON of another form than the provider's, or exceeds a limit.
    Malformed,
}

/// A failure of sending a request or receiving its answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelError {
    /// The kind of failure.
    pub kind: ModelErrorKind,
    /// A message for a human: the problem, its place and the next step.
    pub message: String,
    /// The wait that the provider requests.
    pub retry_after: Option<Duration>,
    /// The provider's request id, for support requests.
    pub request_id: Option<String>,
    /// The cause.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ModelError {
    /// Creates a failure from its kind and message.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, request_id: None, source: None }
    }

    /// Sets the cause.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the wait that the provider requests.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// Sets the provider's request id.
    pub fn with_request_id(mut self, id: Option<String>) -> Self {
        self.request_id = id;
        self
    }

    /// Returns whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ModelErrorKind::Unreachable
                | ModelErrorKind::RateLimit
                | ModelErrorKind::Server
                | ModelErrorKind::Idle
                | ModelErrorKind::Dropped
        )
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
