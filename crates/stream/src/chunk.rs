//! The one vocabulary of a streamed answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};

use crate::{CallChunk, StreamError};

/// One piece of an answer, whoever gives it.
///
/// A chunk says what was added since the last one. The order of chunks is the order in which the model wrote
/// (RULES P4).
///
/// ```
/// use windlass_stream::{CallChunk, CallKey, Chunk};
/// let chunks = [
///     Chunk::text("I look."),
///     Chunk::Call(CallChunk::Start { key: CallKey(1), id: Some("toolu_1".into()), name: "read_file".into(), opaque: None }),
///     Chunk::Call(CallChunk::Delta { key: CallKey(1), arguments: r#"{"path":"a"}"#.into() }),
///     Chunk::Call(CallChunk::End { key: CallKey(1), arguments: None }),
/// ];
/// let line = serde_json::to_string(&chunks[0])?;
/// assert_eq!(serde_json::from_str::<Chunk>(&line)?, chunks[0]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "chunk", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Chunk {
    /// More words.
    Text {
        /// The words that were added.
        text: String,
    },
    /// A stretch of words is over; words that follow are another part.
    TextEnd {
        /// Signatures that travel with it (RULES P2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// More thoughts.
    Reasoning {
        /// The words that were added.
        text: String,
    },
    /// A stretch of thoughts is over.
    ReasoningEnd {
        /// Signatures and ciphers that travel with it (RULES P2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A piece of a call.
    Call(CallChunk),
    /// Tokens so far; a later chunk replaces an earlier one.
    Usage {
        /// The tokens.
        usage: Usage,
    },
    /// Where words came from: citations, search results.
    Grounding {
        /// As the provider says it.
        value: Value,
    },
    /// The model stopped. Usage may still follow (RULES S15).
    Finish {
        /// Why, in the words of windlass.
        reason: StopReason,
        /// Why, in the provider's own word.
        raw: String,
    },
    /// The provider reports a failure inside the stream (RULES S12).
    Error {
        /// The failure.
        error: StreamError,
    },
    /// An event that has no word here (RULES P3).
    Unknown(Unknown),
}

impl Chunk {
    /// More words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// More thoughts.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning { text: text.into() }
    }
}
