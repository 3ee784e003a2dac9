//! Decodes errors, both whole error bodies and error objects inside a stream.

use serde_json::Value;
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind, names_context_length};

/// Decodes the body of an error response.
pub(crate) fn decode_error(status: u16, body: &[u8]) -> ProviderError {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return ProviderError::not_provider(status, body);
    };
    let error = value.get("error").unwrap_or(&value);
    let (kind, message) = fields(error);
    if kind.is_none() && message.is_empty() {
        return ProviderError::not_provider(status, body);
    }
    let provider_kind = match kind {
        Some(kind) => provider_kind(kind, message).unwrap_or_else(|| ProviderError::kind_of(status)),
        None => ProviderError::kind_of(status),
    };
    ProviderError::new(provider_kind, kind.map(str::to_owned), message)
}

/// Decodes an error object inside a stream (RULES S12).
pub(crate) fn stream_error(error: &Value) -> StreamError {
    let (kind, message) = fields(error);
    let known = kind.and_then(|kind| provider_kind(kind, message));
    let special = match (kind, known) {
        (Some("overloaded_error"), _) => Some(StreamErrorKind::Overloaded),
        (_, None) => Some(StreamErrorKind::Unknown),
        _ => None,
    };
    let message = if message.is_empty() {
        "the provider reported an error without a \
         message"
    } else {
        message
    };
    let known = known.unwrap_or(ProviderErrorKind::Request);
    ProviderError::new(known, kind.map(str::to_owned), message).into_stream_error(special)
}

/// Returns the type and the message of an error, in Anthropic's form or in a gateway's.
fn fields(error: &Value) -> (Option<&str>, &str) {
    let text = |name| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let message = text("message").or_else(|| text("detail")).or_else(|| error.as_str()).unwrap_or_default();
    (text("type").or_else(|| text("code")), message)
}

/// Maps the documented error types to our kinds, or returns `None` for another type.
fn provider_kind(kind: &str, message: &str) -> Option<ProviderErrorKind> {
    Some(match kind {
        // The API has no error type of its own for a context that is too long, only this message.
        "invalid_request_error" | "request_too_large" if names_context_length(message) => {
            ProviderErrorKind::ContextLength
        }
        "invalid_request_error" if message.contains("credit balance") => ProviderErrorKind::Quota,
        "invalid_request_error" | "request_too_large" => ProviderErrorKind::Request,
        "authentication_error" | "permission_error" => ProviderErrorKind::Authentication,
        "billing_error" => ProviderErrorKind::Quota,
        "not_found_error" => ProviderErrorKind::NotFound,
        "rate_limit_error" => ProviderErrorKind::RateLimit,
        "api_error" | "overloaded_error" | "timeout_error" => ProviderErrorKind::Server,
        _ => return None,
    })
}
