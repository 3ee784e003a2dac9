//! Errors of HTTP requests to a server, in words without its URL, and the responses that they come from.

use http::StatusCode;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::Response;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";
/// Number of bytes of a refusal's body in the error.
const WORDS_BYTES: usize = 500;

/// Error of an HTTP request to a server.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum HttpError {
    #[error("no connection could be made: {0}")]
    Unreached(String),
    #[error("the connection broke: {0}")]
    Broken(String),
    #[error("it answered with HTTP {status}{words}")]
    Status { status: u16, words: String },
    #[error("its answer is longer than {0} bytes")]
    TooLong(usize),
    #[error("its answer is not a JSON-RPC message")]
    NoMessage,
    #[error(
        "it supports only the older HTTP+SSE transport of 2024-11-05, which this client does not support; \
         use its address of streamable HTTP"
    )]
    OldTransport,
}

/// Converts an error of reqwest, by whether the request may have been sent.
pub(crate) fn classify_error(error: reqwest::Error) -> StreamableHttpError<HttpError> {
    let is_before = error.is_connect() || error.is_builder();
    let words = words_of(error);
    StreamableHttpError::Client(if is_before {
        HttpError::Unreached(words)
    } else {
        HttpError::Broken(words)
    })
}

/// Returns the innermost cause of an error. The outer ones repeat the URL, which may contain a key.
pub(crate) fn words_of(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut source = std::error::Error::source(&error);
    let mut words = error.to_string();
    while let Some(cause) = source {
        words = cause.to_string();
        source = cause.source();
    }
    words
}

/// Returns whether an HTTP error has a body that can be a JSON-RPC error. A refused authorization does not
/// come from the MCP server.
pub(crate) fn is_error_message(response: &Response) -> bool {
    let status = response.status();
    let is_sign_in = status == StatusCode::UNAUTHORIZED
        || (status == StatusCode::FORBIDDEN && response.headers().contains_key(WWW_AUTHENTICATE));
    status.is_client_error() && !is_sign_in && kind_of(response) == JSON
}

/// Returns the error of a refused request, with the beginning of the body.
pub(crate) fn refusal(status: StatusCode, body: &[u8]) -> HttpError {
    let text = String::from_utf8_lossy(body);
    let head = text.get(..text.floor_char_boundary(WORDS_BYTES)).unwrap_or_default().trim();
    let words =
        if head.is_empty() { String::new() } else { format!(": {}", windlass_hitl::display_safe(head)) };
    HttpError::Status { status: status.as_u16(), words }
}

/// Returns the media type without its parameters, in lower case.
pub(crate) fn kind_of(response: &Response) -> String {
    let value =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
