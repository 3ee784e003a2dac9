//! The reasons for which a transcript refuses a message or a result.

use windlass_protocol::CallId;

/// The reason for which a transcript refuses a message or a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The last answer waits for results, so another message cannot be added.
    #[error("{missing} calls of the last answer have no result yet")]
    Open {
        /// The number of missing results.
        missing: usize,
    },
    /// No open call has this id.
    #[error("the call {call} does not wait for a result")]
    NoSuchCall {
        /// The id of the call.
        call: CallId,
    },
    /// The call already has a result.
    #[error("call {call} has a result already")]
    SecondResult {
        /// The id of the call.
        call: CallId,
    },
    /// Two calls of an answer have one id.
    #[error("two calls of the answer have the id {call}")]
    DuplicateCall {
        /// The id of the call.
        call: CallId,
    },
    /// The message has no parts, or its role does not belong to the method.
    #[error("the message is not valid at this position")]
    Message,
}
