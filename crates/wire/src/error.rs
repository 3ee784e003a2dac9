//! Errors of encoding requests and decoding responses.

use serde::de::IgnoredAny;
use windlass_stream::ModelErrorKind;

use crate::ProviderError;

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
    /// A complete body is empty or not JSON: for example, the web page of a proxy.
    #[error("the response is not of the {wire} format: {what}")]
    NotJson {
        /// The name of the wire format.
        wire: &'static str,
        /// A description of the body.
        what: String,
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

impl DecodeError {
    /// Returns the error of a complete body that does not begin like an answer of the format.
    pub fn from_foreign_body(wire: &'static str, body: &[u8]) -> Self {
        let what = ProviderError::not_provider(200, body).message;
        match serde_json::from_slice::<IgnoredAny>(body) {
            Ok(_) => Self::Shape { wire, what },
            Err(_) => Self::NotJson { wire, what },
        }
    }

    /// Returns the kind of failure that this error is for the caller of a model.
    ///
    /// Data that is not JSON was damaged or replaced in transit, so it counts as a broken connection, and the
    /// same request may succeed. The provider would send JSON of another form or an answer above a limit again.
    pub fn kind(&self) -> ModelErrorKind {
        match self {
            Self::Json { .. } | Self::NotJson { .. } | Self::Framing { .. } => ModelErrorKind::Dropped,
            Self::Shape { .. } | Self::Limit { .. } => ModelErrorKind::Malformed,
        }
    }
}
