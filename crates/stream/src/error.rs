//! A failure that a provider reports inside a stream that began well.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A failure that a provider reported in mid-stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamError {
    /// What kind of failure.
    pub kind: StreamErrorKind,
    /// The provider's code or type, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The provider's words.
    pub message: String,
}

/// What kind of failure, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The provider is overloaded; the same request may work later.
    Overloaded,
    /// Too many requests or tokens.
    RateLimit,
    /// The provider failed.
    Server,
    /// The request is wrong and will fail again.
    Request,
    /// A filter of the provider ended the answer.
    Blocked,
    /// A word that is not known here.
    Unknown,
}

impl StreamError {
    /// A failure with the provider's code and words.
    pub fn new(kind: StreamErrorKind, code: Option<String>, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into() }
    }

    /// Whether the same request may work later.
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
