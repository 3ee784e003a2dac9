//! Errors of requests, with messages that name the host and a remedy.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use windlass_stream::{ModelError, ModelErrorKind, StreamError, StreamErrorKind, names_image};
use windlass_vendors::{Endpoint, has_images};
use windlass_wire::{DecodeError, ProviderError, ProviderErrorKind};

use crate::secret::Key;
use crate::transport::{TransportError, TransportErrorKind, header};
use crate::{CapabilityStore, RateLimits};

/// Headers that contain the provider's request id.
const REQUEST_IDS: &[&str] = &["x-request-id", "request-id", "x-amzn-requestid", "cf-ray"];

/// Creates errors about one endpoint, without its key.
#[derive(Clone)]
pub(crate) struct Failures {
    pub(crate) endpoint: Endpoint,
    pub(crate) key: Key,
    /// The key of the endpoint in a [`CapabilityStore`].
    pub(crate) provider: String,
}

impl Failures {
    pub(crate) fn new(endpoint: Endpoint, key: Key) -> Self {
        let provider = CapabilityStore::provider(&endpoint);
        Self { endpoint, key, provider }
    }

    pub(crate) fn model_error(&self, kind: ModelErrorKind, text: &str) -> ModelError {
        let text = format!("{}: {text}", self.endpoint.host());
        ModelError::new(kind, self.key.redact(&text))
    }

    /// Returns the error of an unreachable server or a broken connection.
    pub(crate) fn transport(&self, error: &TransportError) -> ModelError {
        let said = &error.message;
        let (kind, text) = match error.kind {
            TransportErrorKind::Unreachable | TransportErrorKind::ConnectTimeout => (
                ModelErrorKind::Unreachable,
                format!("cannot be reached: {said}; check the address and that the server is running"),
            ),
            TransportErrorKind::Certificate => (
                ModelErrorKind::Configuration,
                format!(
                    "the server's certificate is not trusted: {said}; if a private authority has signed it, \
                     configure that authority's certificate"
                ),
            ),
            TransportErrorKind::Request => {
                (ModelErrorKind::Configuration, format!("the request cannot be built: {said}"))
            }
            TransportErrorKind::Broken => (ModelErrorKind::Dropped, format!("the connection broke: {said}")),
        };
        self.model_error(kind, &text)
    }

    /// Returns the error of a refusal, without the key.
    pub(crate) fn refusal(
        &self,
        status: u16,
        headers: &[(String, String)],
        error: ProviderError,
    ) -> ModelError {
        let advice = match error.kind {
            ProviderErrorKind::Authentication => match (&self.endpoint.key_env, self.key.expose()) {
                (Some(name), Some(_)) => format!(" (the key was not accepted; is {name} right?)"),
                (Some(name), None) => format!(" (no key was sent; is {name} set?)"),
                (None, Some(_)) => " (the key was not accepted)".to_owned(),
                (None, None) => " (no key was sent)".to_owned(),
            },
            ProviderErrorKind::NotFound => " (is the model's name right, and the address?)".to_owned(),
            ProviderErrorKind::NotProvider => " (is the address right, or is a proxy between?)".to_owned(),
            _ => String::new(),
        };
        // The message of a response that did not come from a provider already contains the status.
        let error = error.with_status(status);
        let text = if error.message.starts_with("status ") {
            format!("{error}{advice}")
        } else {
            format!("status {status}: {error}{advice}")
        };
        self.model_error(kind_of(error.kind), &text)
            .with_retry_after(retry_after(headers).or(error.retry_after))
            .with_request_id(self.request_id(headers))
            .with_source(error)
    }

    /// Returns the error of a refusal under a success status.
    pub(crate) fn refusal_in_answer(&self, error: ProviderError) -> ModelError {
        let error = self.key.redact_error(error);
        self.model_error(kind_of(error.kind), &format!("an error instead of an answer: {error}"))
            .with_retry_after(error.retry_after)
            .with_source(error)
    }

    /// Returns the error of a refusal inside a stream, before the first content.
    pub(crate) fn refusal_in_stream(&self, error: StreamError) -> ModelError {
        // The reader has already removed the key from the chunk.
        let mut error = to_status_error(error);
        error.message = format!("{}: {}", self.endpoint.host(), error.message);
        error
    }

    /// Returns the provider's request id.
    pub(crate) fn request_id(&self, headers: &[(String, String)]) -> Option<String> {
        let id = REQUEST_IDS.iter().find_map(|name| header(headers, name));
        id.map(|id| self.key.redact(id))
    }

    /// Returns the error of a whole answer or an event that cannot be decoded.
    pub(crate) fn unreadable(&self, error: &DecodeError) -> ModelError {
        let because =
            std::error::Error::source(error).map(|source| format!(" ({source})")).unwrap_or_default();
        let advice = match error {
            DecodeError::NotJson { .. } => "; is the address right, or is a proxy between?",
            _ => "",
        };
        self.model_error(error.kind(), &format!("the answer cannot be read: {error}{because}{advice}"))
    }
}

/// Converts a refusal inside a stream, before the first content, to the error that it would be with a status
/// of its own.
pub(crate) fn to_status_error(error: StreamError) -> ModelError {
    let is_unsupported = error.kind == StreamErrorKind::Unsupported;
    let error = ProviderError::from_stream_error(error);
    let kind = if is_unsupported { ModelErrorKind::Unsupported } else { kind_of(error.kind) };
    ModelError::new(kind, format!("an error instead of an answer: {error}"))
        .with_retry_after(error.retry_after)
        .with_source(error)
}

fn kind_of(kind: ProviderErrorKind) -> ModelErrorKind {
    match kind {
        ProviderErrorKind::Authentication | ProviderErrorKind::NotFound => ModelErrorKind::Configuration,
        ProviderErrorKind::ContextLength => ModelErrorKind::ContextLength,
        ProviderErrorKind::RateLimit => ModelErrorKind::RateLimit,
        ProviderErrorKind::Server => ModelErrorKind::Server,
        ProviderErrorKind::NotProvider => ModelErrorKind::Malformed,
        _ => ModelErrorKind::Refused,
    }
}

/// Returns the kind of a refusal, given the request: a refusal that names an image is about the image if the
/// request contained one.
pub(crate) fn kind_for(kind: ModelErrorKind, error: &ProviderError, sent: &[u8]) -> ModelErrorKind {
    let is_about_image = error.kind == ProviderErrorKind::Request
        && names_image(error.code.as_deref(), error.parameter.as_deref(), &error.message)
        && has_images(sent);
    if is_about_image { ModelErrorKind::Image } else { kind }
}

/// Returns the wait that the provider asks for: seconds or a date (RFC 9110, section 10.2.3), or milliseconds
/// as OpenAI and Azure send them; otherwise the time until the rate limit resets.
fn retry_after(headers: &[(String, String)]) -> Option<Duration> {
    parse_wait(headers).or_else(|| {
        let until = RateLimits::read(headers)?.empty_until()?;
        Some(until.saturating_duration_since(Instant::now()))
    })
}

/// Returns the wait in the headers for retries, without regard to rate limits.
pub(crate) fn parse_wait(headers: &[(String, String)]) -> Option<Duration> {
    let milliseconds = header(headers, "retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let exact = milliseconds.and_then(|wait| Duration::try_from_secs_f64(wait / 1e3).ok());
    exact.or_else(|| plain_retry_after(headers))
}

fn plain_retry_after(headers: &[(String, String)]) -> Option<Duration> {
    let text = header(headers, "retry-after")?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}
