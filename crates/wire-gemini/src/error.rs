//! Decodes errors, both whole error bodies and error objects inside a stream.

use std::time::Duration;

use serde_json::Value;
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind, names_context_length};

/// The fields of Google's error object.
struct ErrorFields<'a> {
    /// The HTTP status in the object.
    code: Option<u64>,
    /// The canonical code, for example `RESOURCE_EXHAUSTED`.
    status: Option<&'a str>,
    message: &'a str,
    details: &'a [Value],
}

/// Decodes the body of an error response.
pub(crate) fn decode_error(status: u16, body: &[u8]) -> ProviderError {
    let value = match serde_json::from_slice::<Value>(body) {
        // An array stream sends its error in an array too.
        Ok(Value::Array(mut items)) if items.len() == 1 => items.swap_remove(0),
        Ok(value) => value,
        Err(_) => return ProviderError::not_provider(status, body),
    };
    let fields = ErrorFields::read(value.get("error").unwrap_or(&value));
    if fields.status.is_none() && fields.message.is_empty() {
        return ProviderError::not_provider(status, body);
    }
    let kind = fields.provider_kind().unwrap_or_else(|| ProviderError::kind_of(status));
    fields.error(kind, fields.message)
}

/// Decodes an error object inside a stream (RULES S12).
pub(crate) fn stream_error(error: &Value) -> StreamError {
    let fields = ErrorFields::read(error);
    let by_code = || {
        let status = u16::try_from(fields.code?).ok()?;
        Some(ProviderError::kind_of(status))
    };
    let kind = fields.provider_kind().or_else(by_code);
    let special = match kind {
        Some(ProviderErrorKind::Server) if fields.status == Some("UNAVAILABLE") => {
            Some(StreamErrorKind::Overloaded)
        }
        Some(_) => None,
        None => Some(StreamErrorKind::Unknown),
    };
    let message = match fields.message {
        "" => "the provider reported an error without a message",
        message => message,
    };
    fields.error(kind.unwrap_or(ProviderErrorKind::Request), message).into_stream_error(special)
}

impl<'a> ErrorFields<'a> {
    fn read(error: &'a Value) -> Self {
        let text = |name| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        Self {
            code: error.get("code").and_then(Value::as_u64),
            status: text("status"),
            message: text("message").or_else(|| error.as_str()).unwrap_or_default(),
            details: error.get("details").and_then(Value::as_array).map_or(&[], Vec::as_slice),
        }
    }

    fn error(&self, kind: ProviderErrorKind, message: &str) -> ProviderError {
        ProviderError::new(kind, self.status.map(str::to_owned), message)
            .with_parameter(self.parameter())
            .with_retry_after(self.retry_delay())
    }

    /// Maps the canonical code to our kind. The details and the message can make it more specific.
    fn provider_kind(&self) -> Option<ProviderErrorKind> {
        Some(match self.status? {
            "INVALID_ARGUMENT" | "FAILED_PRECONDITION" if self.is_about_key() => {
                ProviderErrorKind::Authentication
            }
            // The API does not have a code for a context that is too long, only this message.
            "INVALID_ARGUMENT" if names_context_length(self.message) => ProviderErrorKind::ContextLength,
            "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "UNIMPLEMENTED" => {
                ProviderErrorKind::Request
            }
            "UNAUTHENTICATED" | "PERMISSION_DENIED" => ProviderErrorKind::Authentication,
            "NOT_FOUND" => ProviderErrorKind::NotFound,
            // A daily quota does not recover within an acceptable wait.
            "RESOURCE_EXHAUSTED" if self.is_days_quota() => ProviderErrorKind::Quota,
            "RESOURCE_EXHAUSTED" => ProviderErrorKind::RateLimit,
            "INTERNAL" | "UNAVAILABLE" | "DEADLINE_EXCEEDED" | "ABORTED" | "UNKNOWN" | "CANCELLED" => {
                ProviderErrorKind::Server
            }
            _ => return None,
        })
    }

    fn is_about_key(&self) -> bool {
        let reason = |detail: &Value| detail.get("reason").and_then(Value::as_str).map(str::to_owned);
        self.details.iter().filter_map(reason).any(|reason| reason.starts_with("API_KEY"))
            || self.message.contains("API key")
    }

    fn is_days_quota(&self) -> bool {
        self.violations("quotaId").any(|quota| quota.contains("PerDay"))
    }

    /// Returns the field that the API names as invalid.
    fn parameter(&self) -> Option<String> {
        self.violations_of("fieldViolations", "field").next().map(str::to_owned)
    }

    /// Returns the retry delay of the error, which the API writes as `48s` or `0.5s`.
    fn retry_delay(&self) -> Option<Duration> {
        let text = self.details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
        Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
    }

    fn violations(&self, field: &'static str) -> impl Iterator<Item = &'a str> {
        self.violations_of("violations", field)
    }

    fn violations_of(&self, list: &'static str, field: &'static str) -> impl Iterator<Item = &'a str> {
        let lists = self.details.iter().filter_map(move |detail| detail.get(list)?.as_array());
        lists.flatten().filter_map(move |violation| violation.get(field)?.as_str())
    }
}
