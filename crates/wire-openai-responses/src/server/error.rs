//! Encodes errors as this API writes them.

use serde_json::json;
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// Returns the status and the body of an error response.
pub(crate) fn encode_error(error: &ProviderError) -> (u16, Vec<u8>) {
    let (status, kind, code) = match error.kind {
        ProviderErrorKind::Authentication if error.status == Some(403) => {
            (403, "invalid_request_error", Some("permission_denied"))
        }
        ProviderErrorKind::Request if error.status == Some(413) => (413, "invalid_request_error", None),
        ProviderErrorKind::Server if matches!(error.status, Some(503 | 529)) => {
            (503, "server_error", Some("overloaded"))
        }
        ProviderErrorKind::Authentication => (401, "invalid_request_error", Some("invalid_api_key")),
        ProviderErrorKind::NotFound => (404, "invalid_request_error", Some("model_not_found")),
        ProviderErrorKind::ContextLength => (400, "invalid_request_error", Some("context_length_exceeded")),
        ProviderErrorKind::RateLimit => (429, "rate_limit_error", Some("rate_limit_exceeded")),
        ProviderErrorKind::Quota => (429, "insufficient_quota", Some("insufficient_quota")),
        ProviderErrorKind::Server => (500, "server_error", Some("server_error")),
        ProviderErrorKind::NotProvider => (502, "server_error", None),
        _ => (400, "invalid_request_error", None),
    };
    let code = error.code.as_deref().or(code);
    let error = json!({ "message": error.message, "type": kind, "param": error.parameter, "code": code });
    (status, json!({ "error": error }).to_string().into_bytes())
}

/// Returns the code of an error inside a stream. The code for a context that is too long replaces another
/// provider's code, because clients look for it.
pub(crate) fn stream_code(error: &StreamError) -> &str {
    match (error.kind, error.code.as_deref()) {
        (StreamErrorKind::ContextLength, _) => "context_length_exceeded",
        (_, Some(code)) => code,
        (StreamErrorKind::Overloaded, None) => "server_is_overloaded",
        (StreamErrorKind::RateLimit, None) => "rate_limit_exceeded",
        (StreamErrorKind::Quota, None) => "insufficient_quota",
        (StreamErrorKind::Authentication, None) => "invalid_api_key",
        (StreamErrorKind::NotFound, None) => "model_not_found",
        (StreamErrorKind::Request | StreamErrorKind::Unsupported, None) => "invalid_request",
        (_, None) => "server_error",
    }
}
