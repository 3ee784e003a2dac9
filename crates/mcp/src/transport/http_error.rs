//! What goes wrong on the way to a server over HTTP, in words without its address.

use rmcp::transport::streamable_http_client::StreamableHttpError;

/// What went wrong on the way to a server.
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
    #[error("its answer is no message")]
    NoMessage,
    #[error(
        "it speaks the older HTTP+SSE transport of 2024-11-05 alone, which is not spoken here; ask whoever runs it for its \
         address of streamable HTTP"
    )]
    OldTransport,
}

/// An error of the HTTP library, by whether anything was sent.
pub(crate) fn failed(error: reqwest::Error) -> StreamableHttpError<HttpError> {
    let is_before = error.is_connect() || error.is_builder();
    let words = words_of(error);
    StreamableHttpError::Client(if is_before {
        HttpError::Unreached(words)
    } else {
        HttpError::Broken(words)
    })
}

/// An error's last words: the first ones repeat the address, which may have a key in it.
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
