//! The chunks of a streamed answer, among them the pieces in which a call arrives.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_protocol::{
    Citation, HostedCall, HostedResult, Opaque, Payload, Prices, StopReason, Unknown, Usage,
};

use crate::StreamError;
use crate::range_unit::RangeUnit;

/// One increment of an answer, independent of the provider.
///
/// A chunk contains only the addition since the previous one, in the order of the model's words (RULES P4).
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
    /// A source of the text before this chunk. Each source also arrives in the provider's own form, as a `Grounding`.
    Citation {
        /// The source. Its range counts in `unit`.
        citation: Citation,
        /// The unit of the range.
        #[serde(default)]
        unit: RangeUnit,
    },
    /// A call that the provider ran, for observers. An `Unknown` has its original, which is part of the answer.
    HostedCall(HostedCall),
    /// The end of a call that the provider ran, for observers.
    HostedResult(HostedResult),
    /// Another model than the requested one answers. Precedes the content of the answer.
    AnsweredBy {
        /// The name of the answering model.
        model: String,
        /// The prices of the answering model; `None` if they are unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prices: Option<Prices>,
        /// The prices of the model that was asked first. A run with prices of its program keeps them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_prices: Option<Prices>,
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

/// Key of a call among the chunks of one response, chosen by the decoder. Keys can have gaps and start anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct CallKey(pub u64);

/// One piece of a call.
///
/// A provider that marks the start and end of a call produces `Start`, `Delta` and `End`. A provider that
/// merges fragments by index produces `Partial` without further interpretation; `windlass-assemble` alone
/// assigns fragments to calls (RULES S2 to S5). A provider that never splits a call produces `Whole`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallChunk {
    /// A fragment as the provider sent it; every optional field may be missing.
    Partial {
        /// The provider's index of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// The position of the fragment in the array of its delta, which replaces a missing index.
        position: u64,
        /// The call's id, if the fragment contains one that is not empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name or a part of it, if the fragment contains one that is not empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The next part of the arguments' text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// Fields of the provider that belong to the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A call begins.
    Start {
        /// The key of the call.
        key: CallKey,
        /// The call's id, if the provider sends one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// Fields of the provider that belong to the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// The next part of a call's arguments.
    Delta {
        /// The key of the call.
        key: CallKey,
        /// The text that was added.
        arguments: String,
    },
    /// The end of a call.
    End {
        /// The key of the call.
        key: CallKey,
        /// The complete text of the arguments, if the provider repeats it at the end. `windlass-assemble`
        /// uses it only to append text that the deltas did not contain (RULES S6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
    },
    /// A call that arrives in one piece.
    Whole {
        /// The call's id, if the provider sends one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The arguments' text or a payload of another kind.
        body: WholeCall,
        /// Fields of the provider that belong to the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
}

/// The input of a call that arrives in one piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "text still to be read, or a payload already made")]
pub enum WholeCall {
    /// The text of a function's arguments, not parsed yet.
    Arguments(String),
    /// A payload of another kind.
    Payload(Payload),
}
