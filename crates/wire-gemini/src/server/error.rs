//! Encodes errors as this API writes them.

use serde_json::{Value, json};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// Returns the status and the body of an error response.
pub(crate) fn encode_error(error: &ProviderError) -> (u16, Vec<u8>) {
    let (code, body) = error_object(error);
    (code, json!({ "error": body }).to_string().into_bytes())
}

/// Returns the status and the error object, which is also used inside streams.
pub(crate) fn error_object(error: &ProviderError) -> (u16, Value) {
    let (code, status) = match error.kind {
        ProviderErrorKind::Authentication if error.status == Some(403) => (403, "PERMISSION_DENIED"),
        ProviderErrorKind::Request if error.status == Some(413) => (413, "INVALID_ARGUMENT"),
        ProviderErrorKind::Server if matches!(error.status, Some(503 | 529)) => (503, "UNAVAILABLE"),
        ProviderErrorKind::Authentication => (401, "UNAUTHENTICATED"),
        ProviderErrorKind::NotFound => (404, "NOT_FOUND"),
        ProviderErrorKind::RateLimit | ProviderErrorKind::Quota => (429, "RESOURCE_EXHAUSTED"),
        ProviderErrorKind::Server => (500, "INTERNAL"),
        ProviderErrorKind::NotProvider => (502, "UNAVAILABLE"),
        _ => (400, "INVALID_ARGUMENT"),
    };
    // The API does not have a code for a context that is too long, only a message.
    let words = "The input token count exceeds the maximum number of tokens allowed";
    let message = match error.kind {
        ProviderErrorKind::ContextLength if !error.message.contains("maximum number of tokens") => {
            format!("{words}: {}", error.message)
        }
        _ => error.message.clone(),
    };
    let mut details: Vec<Value> = Vec::new();
    if error.kind == ProviderErrorKind::Quota {
        details.push(json!({ "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{ "quotaId": "RequestsPerDay" }] }));
    }
    if let Some(field) = &error.parameter {
        details.push(json!({ "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": field, "description": error.message }] }));
    }
    if let Some(wait) = error.retry_after {
        details.push(json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{}s", wait.as_secs_f64()) }));
    }
    let mut body = json!({ "code": code, "message": message, "status": status });
    if let (false, Some(fields)) = (details.is_empty(), body.as_object_mut()) {
        fields.insert("details".to_owned(), details.into());
    }
    (code, body)
}
