//! Why a run cannot be driven. What a model or a tool does wrong is an outcome, not an error.

use windlass_journal::JournalError;
use windlass_loop::ResumeError;
use windlass_toolbox::UnknownMode;

/// Why a run cannot be driven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The agent has no model.
    #[error("the agent has no model; give the builder one")]
    NoModel,
    /// The mode that the run is to begin in, or was in when it was recorded, is none of the toolbox's.
    #[error("the run's mode is not there")]
    Mode(#[from] UnknownMode),
    /// The record cannot be kept, so nothing that it announces may happen.
    #[error("the run's record cannot be kept")]
    Journal(#[from] JournalError),
    /// The record does not let the run go on.
    #[error("the run cannot be resumed")]
    Resume(#[from] ResumeError),
    /// The record is not of the calls that are to be made.
    #[error("the record is of other calls than these")]
    OtherCalls,
    /// The stream was read before, so that its end is gone.
    #[error("the run's events were read before; its end is not here")]
    Unfinished,
    /// The system gives no random bytes for request ids.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}
