//! The chunks of a streamed answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_protocol::{Opaque, StopReason, Unknown, Usage};

use crate::{CallChunk, StreamError};

/// One increment of an answer, independent of the provider.
///
/// A chunk contains only the addition since the previous chunk. Chunks are in the order in which the model
/// wrote them (RULES P4).
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
    /// An increment of text.
    Text {
        /// The added text.
        text: String,
    },
    /// The end of a text part; text that follows belongs to another part.
    TextEnd {
        /// Signatures that belong to the part (RULES P2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// An increment of reasoning.
    Reasoning {
        /// The added text.
        text: String,
    },
    /// The end of a reasoning part.
    ReasoningEnd {
        /// Signatures and encrypted reasoning that belong to the part (RULES P2).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A piece of a call.
    Call(CallChunk),
    /// The token usage up to now; a later chunk replaces an earlier one.
    Usage {
        /// The tokens.
        usage: Usage,
    },
    /// The sources of text: citations and search results.
    Grounding {
        /// The provider's original JSON.
        value: Value,
    },
    /// The model stopped. Usage may follow (RULES S15).
    Finish {
        /// The unified stop reason.
        reason: StopReason,
        /// The provider's own value.
        raw: String,
    },
    /// The provider reports a failure inside the stream (RULES S12).
    Error {
        /// The failure.
        error: StreamError,
    },
    /// An event without a neutral representation (RULES P3).
    Unknown(Unknown),
}

impl Chunk {
    /// Creates an increment of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Creates an increment of reasoning.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning { text: text.into() }
    }
}
