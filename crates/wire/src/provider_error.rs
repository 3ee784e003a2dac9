//! A provider's refusal: a status that is not 200, and the words that came with it.

use std::time::Duration;

use windlass_stream::{StreamError, StreamErrorKind};

use crate::error_words::asked_wait;

/// What kind of refusal, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// The key is missing, wrong or not allowed to do this.
    Authentication,
    /// There is no such model or path.
    NotFound,
    /// The request is wrong.
    Request,
    /// The conversation is longer than the model's window.
    ContextLength,
    /// Too many requests or tokens; it may work later.
    RateLimit,
    /// Nothing is left to spend; it will not work later.
    Quota,
    /// The provider is overloaded or failed; it may work later.
    Server,
    /// The answer is not the provider's: a proxy's page, an empty body.
    NotProvider,
}

/// A provider's refusal in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", code.as_deref().map(|code| format!("{code}: ")).unwrap_or_default())]
#[non_exhaustive]
pub struct ProviderError {
    /// What kind of refusal.
    pub kind: ProviderErrorKind,
    /// The provider's code or type, where it gave one.
    pub code: Option<String>,
    /// The parameter that the provider names, where it names one.
    pub parameter: Option<String>,
    /// The provider's words, or the beginning of a body that is not the provider's.
    pub message: String,
    /// How long the provider asks to wait, where its body says it (RULES L9).
    pub retry_after: Option<Duration>,
}

impl ProviderError {
    /// Returns a refusal of a kind, in these words. Where waiting helps and the words name a wait ("try again in
    /// 11.054s"), it is the wait that the provider asks for.
    pub fn new(kind: ProviderErrorKind, code: Option<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let can_wait = matches!(kind, ProviderErrorKind::RateLimit | ProviderErrorKind::Server);
        let retry_after = if can_wait { asked_wait(&message) } else { None };
        Self { kind, code, parameter: None, message, retry_after }
    }

    /// The same refusal with the parameter that the provider named.
    pub fn with_parameter(mut self, parameter: Option<String>) -> Self {
        self.parameter = parameter;
        self
    }

    /// Sets the wait that the provider asked for in a field of its own, which is more exact than its words.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait.or(self.retry_after);
        self
    }

    /// Returns the same failure as it stands inside a stream that began well. `kind` replaces the kind where a wire
    /// format knows more than the status-like kinds of a refusal.
    pub fn into_stream_error(self, kind: Option<StreamErrorKind>) -> StreamError {
        let kind = kind.unwrap_or_else(|| self.kind.into());
        StreamError::new(kind, self.code, self.message)
            .with_parameter(self.parameter)
            .with_retry_after(self.retry_after)
    }

    /// Returns a failure inside a stream as the refusal that it would have been before the stream began.
    pub fn from_stream_error(error: StreamError) -> Self {
        let wait = error.retry_after();
        Self::new(error.kind.into(), error.code, error.message)
            .with_parameter(error.parameter)
            .with_retry_after(wait)
    }

    /// What a status alone says.
    pub fn kind_of(status: u16) -> ProviderErrorKind {
        match status {
            401 | 403 => ProviderErrorKind::Authentication,
            404 => ProviderErrorKind::NotFound,
            408 | 409 | 500..=599 => ProviderErrorKind::Server,
            402 => ProviderErrorKind::Quota,
            429 => ProviderErrorKind::RateLimit,
            _ => ProviderErrorKind::Request,
        }
    }

    /// A body that no provider made, shown by its first words.
    pub fn not_provider(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let shown: String = text.chars().take(200).collect();
        let message = match (text.is_empty(), text.starts_with('<')) {
            (true, _) => format!("status {status} with an empty body"),
            (false, true) => format!("status {status} with an HTML page instead of JSON: {shown}"),
            (false, false) => format!("status {status} with a body that is not the provider's JSON: {shown}"),
        };
        // A gateway's page with a 5xx is still worth another try; any other page is not the provider.
        let kind = match Self::kind_of(status) {
            kind @ (ProviderErrorKind::Server | ProviderErrorKind::RateLimit) => kind,
            _ => ProviderErrorKind::NotProvider,
        };
        Self::new(kind, None, message)
    }

    /// Whether the same request may work later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ProviderErrorKind::RateLimit | ProviderErrorKind::Server)
    }
}

impl From<ProviderErrorKind> for StreamErrorKind {
    fn from(kind: ProviderErrorKind) -> Self {
        match kind {
            ProviderErrorKind::Authentication => Self::Authentication,
            ProviderErrorKind::NotFound => Self::NotFound,
            ProviderErrorKind::Request => Self::Request,
            ProviderErrorKind::ContextLength => Self::ContextLength,
            ProviderErrorKind::RateLimit => Self::RateLimit,
            ProviderErrorKind::Quota => Self::Quota,
            ProviderErrorKind::Server => Self::Server,
            ProviderErrorKind::NotProvider => Self::Unknown,
        }
    }
}

impl From<StreamErrorKind> for ProviderErrorKind {
    fn from(kind: StreamErrorKind) -> Self {
        match kind {
            StreamErrorKind::Authentication => Self::Authentication,
            StreamErrorKind::NotFound => Self::NotFound,
            StreamErrorKind::ContextLength => Self::ContextLength,
            StreamErrorKind::RateLimit => Self::RateLimit,
            StreamErrorKind::Quota => Self::Quota,
            StreamErrorKind::Overloaded | StreamErrorKind::Server => Self::Server,
            _ => Self::Request,
        }
    }
}
