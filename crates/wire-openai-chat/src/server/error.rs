//! Encodes errors as this API writes them.

use serde_json::{Value, json};
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
        ProviderErrorKind::RateLimit => (429, "requests", Some("rate_limit_exceeded")),
        ProviderErrorKind::Quota => (429, "insufficient_quota", Some("insufficient_quota")),
        ProviderErrorKind::Server => (500, "server_error", None),
        ProviderErrorKind::NotProvider => (502, "server_error", Some("bad_gateway")),
        _ => (400, "invalid_request_error", None),
    };
    // The type of another provider's error is not a code of this API.
    let is_own = error.code.as_deref() == Some("unsupported_parameter");
    let code = if is_own { error.code.as_deref() } else { code };
    let body = json!({ "error": {
        "message": error.message, "type": kind, "param": error.parameter, "code": code,
    } });
    (status, body.to_string().into_bytes())
}

/// Encodes an error inside a stream that already started, in the form that `OpenRouter` sends and OpenAI's
/// own libraries read.
pub(crate) fn stream_error(error: &StreamError) -> Value {
    let (kind, code) = match error.kind {
        StreamErrorKind::Overloaded => ("overloaded_error", "overloaded"),
        StreamErrorKind::RateLimit => ("requests", "rate_limit_exceeded"),
        StreamErrorKind::Server => ("server_error", "server_error"),
        StreamErrorKind::Request => ("invalid_request_error", "invalid_request"),
        StreamErrorKind::ContextLength => ("invalid_request_error", "context_length_exceeded"),
        StreamErrorKind::Authentication => ("invalid_request_error", "invalid_api_key"),
        StreamErrorKind::NotFound => ("invalid_request_error", "model_not_found"),
        StreamErrorKind::Quota => ("insufficient_quota", "insufficient_quota"),
        StreamErrorKind::Unsupported => ("invalid_request_error", "unsupported"),
        StreamErrorKind::Blocked => ("invalid_request_error", "content_filter"),
        _ => ("unknown_error", "unknown"),
    };
    json!({ "error": { "message": error.message, "type": kind, "param": error.parameter, "code": code } })
}
