//! What can go wrong between a request and bytes, and between bytes and chunks.

/// Why a request cannot be said in a wire format. Encoding is strict (RULES P3).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The provider has no such thing.
    #[error("{wire} cannot carry {what}")]
    Unsupported {
        /// The wire format.
        wire: &'static str,
        /// What it cannot carry.
        what: String,
    },
    /// The conversation breaks a rule that the provider holds.
    #[error("the conversation cannot be sent: {what}")]
    Conversation {
        /// Which rule, and where.
        what: String,
    },
    /// A value did not become JSON.
    #[error("the request did not become JSON")]
    Json(#[from] serde_json::Error),
}

/// Why bytes could not be read as a response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// An event or a body is not JSON.
    #[error("event {event} of the response is not JSON")]
    Json {
        /// The event's number, from 1; the whole body is event 1.
        event: usize,
        /// What the JSON parser met.
        source: serde_json::Error,
    },
    /// The framing of the stream broke.
    #[error("the stream's framing broke: {what}")]
    Framing {
        /// How.
        what: String,
    },
    /// The body is JSON, but not of this wire format.
    #[error("the response is not of the {wire} format: {what}")]
    Shape {
        /// The wire format.
        wire: &'static str,
        /// What was met.
        what: String,
    },
    /// A limit was met.
    #[error("the response has more than {limit} {what}")]
    Limit {
        /// What was counted.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}
