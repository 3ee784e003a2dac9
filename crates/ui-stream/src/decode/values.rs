//! Limits, errors and files of requests.

/// Limits of a request. A request beyond a limit is refused as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeLimits {
    /// Bytes of the body.
    pub bytes: usize,
    /// Messages of the conversation.
    pub messages: usize,
    /// Parts of the newest message.
    pub parts: usize,
    /// Answers to questions.
    pub answers: usize,
}

impl Default for DecodeLimits {
    /// Returns 8 MiB, 10 000 messages, 10 000 parts and 100 answers.
    fn default() -> Self {
        Self { bytes: 8 * 1024 * 1024, messages: 10_000, parts: 10_000, answers: 100 }
    }
}

/// Reason that a request was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The body is too large.
    #[error("the body has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Size of the body.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A member is missing or has another type.
    #[error("{path} must be {expected}")]
    Field {
        /// The place of the member.
        path: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A list has too many entries.
    #[error("{path} has {count} entries, the limit is {limit}")]
    TooMany {
        /// The place of the list.
        path: &'static str,
        /// Number of entries.
        count: usize,
        /// The limit.
        limit: usize,
    },
}

/// File that a client attached to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttachedFile {
    /// The media type, as the client declared it.
    pub media_type: String,
    /// A `data:` URL with the bytes in base64, or another URL as the client sent it. Not checked.
    pub url: String,
    /// The name of the file.
    pub name: Option<String>,
}
