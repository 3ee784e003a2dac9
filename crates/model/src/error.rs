//! Why a model gave no answer, or only half of one.

use std::error::Error;
use std::time::Duration;

/// What kind of failure, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// Something is missing or wrong in what the user set up: a key, an address, a model's name.
    Configuration,
    /// The provider cannot be reached.
    Unreachable,
    /// The provider refused the request.
    Refused,
    /// The model has no tool calls of its own, or no structured output: the request may be put otherwise.
    Unsupported,
    /// The provider refused a picture of the request; without its pictures the request may be taken.
    Image,
    /// The conversation is longer than the model's window.
    ContextLength,
    /// Too many requests; it may work later.
    RateLimit,
    /// The provider failed or is overloaded; it may work later.
    Server,
    /// Nothing came for too long.
    Idle,
    /// The connection broke in mid-answer.
    Dropped,
    /// The answer is not of the provider's format.
    Malformed,
}

/// A failure on the way to a model or back.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ModelError {
    /// What kind of failure.
    pub kind: ModelErrorKind,
    /// What to tell a human: what was met, where, and what to do.
    pub message: String,
    /// How long the provider asked to wait.
    pub retry_after: Option<Duration>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// The cause.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl ModelError {
    /// A failure of a kind, in these words.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, request_id: None, source: None }
    }

    /// The same failure with its cause.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same failure with the wait that the provider asked for.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The same failure with the provider's id of the request.
    pub fn with_request_id(mut self, id: Option<String>) -> Self {
        self.request_id = id;
        self
    }

    /// Whether the same request may work later.
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
