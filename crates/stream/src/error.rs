//! A failure that a provider reports inside a stream that began well.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A failure that a provider reported in mid-stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamError {
    /// The kind of failure.
    pub kind: StreamErrorKind,
    /// The provider's code or type, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The provider's words.
    pub message: String,
    /// The parameter that the provider names, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The wait that the provider asks for, in milliseconds (RULES L9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

/// The kind of a failure, by the action that is open to a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The provider is overloaded; the same request may work later.
    Overloaded,
    /// Too many requests or tokens; the same request may work later.
    RateLimit,
    /// The provider failed; the same request may work later.
    Server,
    /// The request is wrong and will fail again.
    Request,
    /// The conversation is longer than the model's window; a shorter one may work.
    ContextLength,
    /// The model has no tool calls of its own, or no structured output; the request may be put in another protocol.
    Unsupported,
    /// The key is missing, wrong or not allowed to do this.
    Authentication,
    /// The model or the path does not exist.
    NotFound,
    /// The account has no credit left; waiting does not help.
    Quota,
    /// A filter of the provider ended the answer.
    Blocked,
    /// The provider's code is not known here.
    Unknown,
}

impl StreamError {
    /// Returns a failure with the provider's code and words.
    pub fn new(kind: StreamErrorKind, code: Option<String>, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), parameter: None, retry_after_ms: None }
    }

    /// Sets the parameter that the provider named.
    pub fn with_parameter(mut self, parameter: Option<String>) -> Self {
        self.parameter = parameter;
        self
    }

    /// Sets the wait that the provider asked for.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Returns the wait that the provider asked for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after_ms.map(Duration::from_millis)
    }

    /// Returns whether the same request may work later.
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
