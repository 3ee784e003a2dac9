//! Encodes errors as this API writes them.

use serde_json::{Value, json};
use windlass_protocol::{Part, Request};
use windlass_stream::{StreamError, StreamErrorKind};
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::names::BLOCK_FIELD;

/// The code of an error about a request that cannot be part of a thread.
const NO_THREADS: &str = "thread_unsupported_request";

/// Returns the refusal of a request in a thread, after which Anthropic's libraries send the whole conversation.
pub(crate) fn refuse_threads(request: &Request) -> Option<ProviderError> {
    request.options.extra.get("thread").filter(|thread| !thread.is_null())?;
    let what = "threads are not available for this model; send the whole conversation";
    let error = ProviderError::new(ProviderErrorKind::Request, Some(NO_THREADS.to_owned()), what);
    Some(error.with_parameter(Some("thread".to_owned())))
}

/// Returns the refusal of a conversation whose beginning the API has replaced by a summary: a block of another format would
/// lack it.
pub(crate) fn refuse_compactions(request: &Request) -> Option<ProviderError> {
    let is_compaction = |part: &Part| match part {
        Part::Unknown(unknown) => unknown
            .value
            .get(BLOCK_FIELD)
            .is_some_and(|block| block.get("type").is_some_and(|kind| kind == "compaction")),
        _ => false,
    };
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    parts.any(is_compaction).then(|| {
        let what = "a compaction of another provider is not available for this model; send the conversation";
        ProviderError::new(ProviderErrorKind::Request, None, what).with_parameter(Some("messages".to_owned()))
    })
}

/// Returns the status and the body of an error response.
pub(crate) fn encode_error(error: &ProviderError) -> (u16, Vec<u8>) {
    let (status, kind) = match error.kind {
        ProviderErrorKind::Authentication if error.status == Some(403) => (403, "permission_error"),
        ProviderErrorKind::Request if error.status == Some(413) => (413, "request_too_large"),
        ProviderErrorKind::Server if matches!(error.status, Some(503 | 529)) => (529, "overloaded_error"),
        ProviderErrorKind::Authentication => (401, "authentication_error"),
        ProviderErrorKind::NotFound => (404, "not_found_error"),
        ProviderErrorKind::RateLimit => (429, "rate_limit_error"),
        ProviderErrorKind::Quota => (402, "billing_error"),
        ProviderErrorKind::Server => (500, "api_error"),
        ProviderErrorKind::NotProvider => (502, "api_error"),
        _ => (400, "invalid_request_error"),
    };
    let message = in_known_words(error.kind == ProviderErrorKind::ContextLength, &error.message);
    let mut body = body(kind, &message);
    // Anthropic's libraries read this code, and send the conversation again without a thread.
    if error.code.as_deref() == Some(NO_THREADS)
        && let Some(fields) = body.get_mut("error").and_then(Value::as_object_mut)
    {
        fields.insert("details".to_owned(), json!({ "error_code": NO_THREADS }));
    }
    (status, body.to_string().into_bytes())
}

/// Encodes an error inside a stream that already started.
pub(crate) fn stream_error(error: &StreamError) -> Value {
    let kind = match error.kind {
        StreamErrorKind::Overloaded => "overloaded_error",
        StreamErrorKind::RateLimit => "rate_limit_error",
        StreamErrorKind::Authentication => "authentication_error",
        StreamErrorKind::NotFound => "not_found_error",
        StreamErrorKind::Quota => "billing_error",
        StreamErrorKind::Request
        | StreamErrorKind::Blocked
        | StreamErrorKind::Unsupported
        | StreamErrorKind::ContextLength => "invalid_request_error",
        _ => "api_error",
    };
    let is_length = error.kind == StreamErrorKind::ContextLength;
    body(kind, &in_known_words(is_length, &error.message))
}

/// Adds the phrase by which clients recognise a context that is too long, since the API has no error type for
/// it.
fn in_known_words(is_length: bool, message: &str) -> String {
    if is_length && !message.contains("prompt is too long") {
        return format!("prompt is too long: {message}");
    }
    message.to_owned()
}

fn body(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}
