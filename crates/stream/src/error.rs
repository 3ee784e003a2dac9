//! A failure that a provider reports inside a stream after a successful start.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A failure that a provider reported in the middle of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamError {
    /// The kind of failure.
    pub kind: StreamErrorKind,
    /// The provider's code or type, if it sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The provider's message.
    pub message: String,
    /// The parameter at fault, if the provider names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The wait that the provider requests, in milliseconds (RULES L9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// The kind of a failure, by the possible reaction of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The provider is overloaded; the same request may succeed later.
    Overloaded,
    /// Too many requests or tokens; the same request may succeed later.
    RateLimit,
    /// The provider failed; the same request may succeed later.
    Server,
    /// The request is invalid and will fail again.
    Request,
    /// The conversation exceeds the model's context window; a shorter conversation may succeed.
    ContextLength,
    /// The model does not support tool calls or structured output; the request may be sent with another tool
    /// protocol.
    Unsupported,
    /// The API key is missing, invalid or not authorized.
    Authentication,
    /// The model or the path does not exist.
    NotFound,
    /// The account has no credit left; a retry does not help.
    Quota,
    /// A content filter of the provider ended the answer.
    Blocked,
    /// The provider's code is unknown.
    Unknown,
}

impl StreamError {
    /// Creates a failure with the provider's code and message.
    pub fn new(kind: StreamErrorKind, code: Option<String>, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), parameter: None, retry_after_ms: None }
    }

    /// Sets the parameter at fault.
    pub fn with_parameter(mut self, parameter: Option<String>) -> Self {
        self.parameter = parameter;
        self
    }

    /// Sets the wait that the provider requests.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Returns the wait that the provider requests.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }

    /// Returns whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            StreamErrorKind::Overloaded | StreamErrorKind::RateLimit | StreamErrorKind::Server
        )
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{code}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for StreamError {}
