//! Why a model stopped.

use serde::{Deserialize, Serialize};

/// Why a model stopped, the same for all providers. The provider's own word travels beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    End,
    /// It waits for the results of its calls.
    Calls,
    /// The limit of tokens was met.
    Length,
    /// Conversation and answer together filled the model's window; a shorter conversation leaves more room.
    ContextWindow,
    /// A stop sequence was met.
    StopSequence,
    /// A filter of the provider ended it.
    ContentFilter,
    /// The model refused.
    Refusal,
    /// The provider paused a long turn; the same conversation goes on when sent again.
    Pause,
    /// The provider failed in mid-answer.
    Error,
    /// A word that is not known here.
    Unknown(String),
}

impl StopReason {
    /// Whether the answer was cut, so that its last call may not be whole (RULES S10).
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::ContextWindow | Self::Error)
    }
}
