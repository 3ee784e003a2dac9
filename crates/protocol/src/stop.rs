//! The reason why a model stopped.

use serde::{Deserialize, Serialize};

/// The reason why a model stopped, unified for all providers. The provider's own value is reported
/// separately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The answer is complete.
    End,
    /// The model waits for the results of its calls.
    Calls,
    /// The maximum number of output tokens was reached.
    Length,
    /// Conversation and answer together filled the context window; a shorter conversation leaves more room.
    ContextWindow,
    /// A stop sequence was generated.
    StopSequence,
    /// A content filter of the provider ended the answer.
    ContentFilter,
    /// The model refused.
    Refusal,
    /// The provider paused a long turn; sending the same conversation again resumes it.
    Pause,
    /// The provider failed during the answer.
    Error,
    /// A value that this crate does not know.
    Unknown(String),
}

impl StopReason {
    /// Returns whether the answer was truncated, so that its last call may be incomplete (RULES S10).
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::ContextWindow | Self::Error)
    }
}
