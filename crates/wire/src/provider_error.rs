//! Error responses of providers: the status and the message.

mod words;

use std::time::Duration;

use windlass_stream::{StreamError, StreamErrorKind};

use words::parse_wait;

pub use words::names_context_length;

/// The kind of an error response, by the possible reaction of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderErrorKind {
    /// The API key is missing, invalid or not authorized.
    Authentication,
    /// The model or the path does not exist.
    NotFound,
    /// The request is invalid.
    Request,
    /// The conversation exceeds the model's context window.
    ContextLength,
    /// Too many requests or tokens; the same request may succeed later.
    RateLimit,
    /// The account has no credit left; a retry does not help.
    Quota,
    /// The provider is overloaded or failed; the same request may succeed later.
    Server,
    /// The body is not the provider's: a proxy's page or an empty body.
    NotProvider,
}

/// An error response of a provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", code.as_deref().map(|code| format!("{code}: ")).unwrap_or_default())]
#[non_exhaustive]
pub struct ProviderError {
    /// The kind of the error.
    pub kind: ProviderErrorKind,
    /// The provider's code or type, if it sent one.
    pub code: Option<String>,
    /// The parameter at fault, if the provider names one.
    pub parameter: Option<String>,
    /// The provider's message, or the beginning of a body that is not the provider's.
    pub message: String,
    /// The HTTP status of the response, if it is known: 403 and 529 have no kind of their own.
    pub status: Option<u16>,
    /// The wait that the provider requests in the body, if any (RULES L9).
    pub retry_after: Option<Duration>,
}

impl ProviderError {
    /// Creates an error from its kind and message. For a retryable kind, a wait in the message ("try again in
    /// 11.054s") becomes the requested wait.
    pub fn new(kind: ProviderErrorKind, code: Option<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let can_wait = matches!(kind, ProviderErrorKind::RateLimit | ProviderErrorKind::Server);
        let retry_after = if can_wait { parse_wait(&message) } else { None };
        Self { kind, code, parameter: None, message, status: None, retry_after }
    }

    /// Sets the parameter at fault.
    pub fn with_parameter(mut self, parameter: Option<String>) -> Self {
        self.parameter = parameter;
        self
    }

    /// Sets the HTTP status of the response.
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the wait from a dedicated field, which is more precise than the message. `None` keeps the current
    /// wait.
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait.or(self.retry_after);
        self
    }

    /// Converts the error into a failure inside a stream. `kind` replaces the kind if a wire format knows a
    /// more precise one.
    pub fn into_stream_error(self, kind: Option<StreamErrorKind>) -> StreamError {
        let kind = kind.unwrap_or_else(|| self.kind.into());
        StreamError::new(kind, self.code, self.message)
            .with_parameter(self.parameter)
            .with_retry_after(self.retry_after)
    }

    /// Converts a failure inside a stream into the equivalent error response.
    pub fn from_stream_error(error: StreamError) -> Self {
        let wait = error.retry_after();
        Self::new(error.kind.into(), error.code, error.message)
            .with_parameter(error.parameter)
            .with_retry_after(wait)
    }

    /// Returns the kind that follows from the status alone.
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

    /// Creates an error for a body that is not the provider's. The message contains its first 200 characters.
    pub fn not_provider(status: u16, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let shown: String = text.chars().take(200).collect();
        let message = match (text.is_empty(), text.starts_with('<')) {
            (true, _) => format!("status {status} with an empty body"),
            (false, true) => format!("status {status} with an HTML page instead of JSON: {shown}"),
            (false, false) => format!("status {status} with a body that is not the provider's JSON: {shown}"),
        };
        // A gateway's page with status 408, 409, 429 or 5xx is worth a retry; any other page is not the
        // provider's.
        let kind = match Self::kind_of(status) {
            kind @ (ProviderErrorKind::Server | ProviderErrorKind::RateLimit) => kind,
            _ => ProviderErrorKind::NotProvider,
        };
        Self::new(kind, None, message)
    }

    /// Returns whether the same request may succeed later.
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
