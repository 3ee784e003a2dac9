//! Errors of HTTP requests to a server, in words without its URL.

use rmcp::transport::streamable_http_client::StreamableHttpError;

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
