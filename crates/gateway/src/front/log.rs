//! The log of requests.

use serde::Serialize;

/// A request, after its answer has ended. It contains no body, no header and no query, so it contains no secret of a
/// client or a provider.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RequestLine {
    /// The time of the request, in milliseconds since 1970.
    pub time_ms: u64,
    /// The name of the client's key, or an empty text without keys.
    pub client: String,
    /// The client's wire format.
    pub format: String,
    /// The path without its query.
    pub path: String,
    /// The model that the client named.
    pub model: String,
    /// The status of the answer.
    pub status: u16,
    /// The time until the first byte of the body, in milliseconds; `None` if no byte was sent.
    pub first_byte_ms: Option<u64>,
    /// The time until the end, in milliseconds.
    pub total_ms: u64,
    /// The bytes of the answer's body.
    pub bytes: u64,
    /// The label of the upstream, or an empty text if no request was sent.
    pub upstream: String,
    /// The input tokens that the provider counted; `None` without a count.
    pub input_tokens: Option<u64>,
    /// The output tokens that the provider counted; `None` without a count.
    pub output_tokens: Option<u64>,
    /// The cost in millionths of the currency of the prices; `None` without a count or a price.
    pub cost_millionths: Option<u64>,
    /// False if the answer was cut: by the client, by the upstream or by the end of the server.
    pub is_complete: bool,
}

/// A receiver of the log. It is called on the server's threads and must not block for long.
pub trait RequestLog: Send + Sync {
    /// Receives the line of a request whose answer has ended.
    fn log(&self, line: &RequestLine);
}
