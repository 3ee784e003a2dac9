//! Errors of encoding requests and decoding responses.

/// Error of encoding a request that the wire format cannot express. Encoding is strict (RULES P3).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The provider does not support a feature of the request.
    #[error("{wire} cannot carry {what}")]
    Unsupported {
        /// The name of the wire format.
        wire: &'static str,
        /// The feature.
        what: String,
    },
    /// The conversation violates a rule of the provider.
    #[error("the conversation cannot be sent: {what}")]
    Conversation {
        /// The rule and the place of the violation.
        what: String,
    },
    /// JSON serialization failed.
    #[error("the request could not be serialized as JSON")]
    Json(#[from] serde_json::Error),
}

/// Error of decoding a response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// An event or a body is not JSON.
    #[error("event {event} of the response is not JSON")]
    Json {
        /// The number of the event, from 1; a complete body is event 1.
        event: usize,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// The framing of the stream is invalid.
    #[error("the stream's framing is invalid: {what}")]
    Framing {
        /// A description of the framing error.
        what: String,
    },
    /// The body is valid JSON but does not have this wire format.
    #[error("the response is not of the {wire} format: {what}")]
    Shape {
        /// The name of the wire format.
        wire: &'static str,
        /// A description of the unexpected content.
        what: String,
    },
    /// A limit was exceeded.
    #[error("the response has more than {limit} {what}")]
    Limit {
        /// The unit of the limit.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}
