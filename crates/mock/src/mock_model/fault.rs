//! Faults of an answer, and the errors that they cause.

use std::time::Duration;

use windlass_stream::{Chunk, ModelError, ModelErrorKind};

/// A fault of an answer of a [`MockModel`](super::MockModel).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The provider refuses the request with an HTTP status. An answer of its own. The status determines the
    /// [kind](ModelErrorKind) of the error: 429 is a rate limit, 408, 409 and 5xx are failures of the server, 401, 403 and
    /// 404 are a wrong configuration, and every other status is a refusal.
    Refuse {
        /// The HTTP status.
        status: u16,
        /// The wait that the provider requests.
        retry_after: Option<Duration>,
    },
    /// The connection breaks after this number of chunks.
    CutAfterChunks(usize),
    /// The connection breaks after this number of bytes of text, thoughts and arguments.
    CutAfterBytes(usize),
    /// The answer stops after this number of chunks, and stays open without more data.
    StallAfterChunks(usize),
    /// After this number of chunks follows data that is not JSON. Like a broken connection, the answer may be
    /// requested again.
    MalformedAfterChunks(usize),
    /// Every chunk arrives after a pause. The pause uses the clock of `tokio`, which `tokio::time::pause` controls.
    Slow(Duration),
}

impl Fault {
    /// Returns a refusal with an HTTP status.
    pub fn refuse(status: u16) -> Self {
        Self::Refuse { status, retry_after: None }
    }

    /// Sets the wait that the provider requests with a refusal. Other faults have no such wait.
    pub fn with_retry_after(self, wait: Duration) -> Self {
        match self {
            Self::Refuse { status, .. } => Self::Refuse { status, retry_after: Some(wait) },
            other => other,
        }
    }
}

/// Returns the error of a refusal.
pub(super) fn refusal(status: u16, retry_after: Option<Duration>) -> ModelError {
    let kind = match status {
        401 | 403 | 404 => ModelErrorKind::Configuration,
        429 => ModelErrorKind::RateLimit,
        408 | 409 | 500..=599 => ModelErrorKind::Server,
        _ => ModelErrorKind::Refused,
    };
    let message = format!("the mock model refuses the request with the status {status}");
    ModelError::new(kind, message).with_retry_after(retry_after)
}

/// End of a stream that has a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The stream ends.
    Proper,
    /// The connection breaks.
    Broken,
    /// The stream stays open.
    Silent,
    /// The next data is not an answer.
    Malformed,
}

impl Ending {
    /// Returns the error that ends the stream.
    pub(super) fn error(self) -> Option<ModelError> {
        match self {
            Self::Broken => {
                Some(ModelError::new(ModelErrorKind::Dropped, "the connection broke in mid-answer"))
            }
            Self::Malformed => {
                Some(ModelError::new(ModelErrorKind::Dropped, "a frame of the answer is not JSON"))
            }
            Self::Proper | Self::Silent => None,
        }
    }
}

/// Shortens the chunks of an answer to a number of bytes of content.
pub(super) fn truncate_to_bytes(chunks: &mut Vec<Chunk>, bytes: usize) {
    let mut left = bytes;
    let mut kept = 0;
    for chunk in chunks.iter_mut() {
        let Some(content) = content(chunk) else {
            kept += 1;
            continue;
        };
        if content.len() > left {
            content.truncate(content.floor_char_boundary(left));
            kept += usize::from(!content.is_empty());
            break;
        }
        left -= content.len();
        kept += 1;
    }
    chunks.truncate(kept);
}

fn content(chunk: &mut Chunk) -> Option<&mut String> {
    match chunk {
        Chunk::Text { text } | Chunk::Reasoning { text } => Some(text),
        Chunk::Call(windlass_stream::CallChunk::Delta { arguments, .. }) => Some(arguments),
        _ => None,
    }
}
