//! Refusals as this API writes them.

use serde_json::{Value, json};
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// A refusal's status and body.
pub(crate) fn encode_error(error: &ProviderError) -> (u16, Vec<u8>) {
    let (status, kind) = match error.kind {
        ProviderErrorKind::Authentication => (401, "authentication_error"),
        ProviderErrorKind::NotFound => (404, "not_found_error"),
        ProviderErrorKind::RateLimit => (429, "rate_limit_error"),
        ProviderErrorKind::Quota => (402, "billing_error"),
        ProviderErrorKind::Server => (500, "api_error"),
        ProviderErrorKind::NotProvider => (502, "api_error"),
        _ => (400, "invalid_request_error"),
    };
    // The API has no code for it but these words, which clients look for.
    let message = match error.kind {
        ProviderErrorKind::ContextLength if !error.message.contains("prompt is too long") => {
            format!("prompt is too long: {}", error.message)
        }
        _ => error.message.clone(),
    };
    (status, body(kind, &message).to_string().into_bytes())
}

/// An error inside a stream that began well.
pub(crate) fn stream_error(error: &StreamError) -> Value {
    let kind = match error.kind {
        StreamErrorKind::Overloaded => "overloaded_error",
        StreamErrorKind::RateLimit => "rate_limit_error",
        StreamErrorKind::Request | StreamErrorKind::Blocked => "invalid_request_error",
        _ => "api_error",
    };
    body(kind, &error.message)
}

fn body(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}
