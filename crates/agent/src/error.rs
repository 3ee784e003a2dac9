//! Errors that prevent the execution of a run. Mistakes of a model or a tool are outcomes or results instead.

use windlass_journal::JournalError;
use windlass_loop::{Outcome, ResumeError};
use windlass_toolbox::{BuildError, UnknownMode};

/// The reason why a run cannot be executed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The builder has no model.
    #[error("the agent has no model; set one with `AgentBuilder::model`")]
    NoModel,
    /// The tools of [`AgentBuilder::tool`](crate::AgentBuilder::tool) do not form a toolbox, for example because two have
    /// the same name.
    #[error(transparent)]
    Tools(#[from] BuildError),
    /// The builder has a toolbox, and also tools outside of it.
    #[error(
        "the agent has a toolbox and other tools; add the tools to the toolbox, with `ToolboxBuilder::tool`"
    )]
    ToolsAndToolbox,
    /// The toolbox does not have the mode in which the run would begin, or in which it was recorded.
    #[error("the run's mode does not exist")]
    Mode(#[from] UnknownMode),
    /// The model does not take a tool of [`AgentBuilder::hosted_tool`](crate::AgentBuilder::hosted_tool).
    #[error("the agent cannot offer a hosted tool: {reason}")]
    HostedTool {
        /// The reason, which names the tool.
        reason: String,
    },
    /// The journal cannot store the record. The actions that the record announces are not performed.
    #[error("the run's record cannot be stored")]
    Journal(#[from] JournalError),
    /// The record cannot be continued.
    #[error("the run cannot be resumed")]
    Resume(#[from] ResumeError),
    /// The journal contains the run of other calls than those to perform.
    #[error("the record contains different calls")]
    OtherCalls,
    /// The last event was read before this call, so that the outcome is not available.
    #[error("the run's events were already read, so its outcome is not available")]
    Unfinished,
    /// The task of a spawned run was aborted, or its runtime ended.
    #[error("the task of the run ended before the run")]
    TaskEnded,
    /// The run failed.
    #[error("{message}")]
    Failed {
        /// The reason, for a failed request in the provider's words.
        message: String,
    },
    /// The run has no answer, because it stopped or waits.
    #[error("{outcome}")]
    NotCompleted {
        /// The way in which the run ended.
        outcome: Box<Outcome>,
    },
    /// The model's answer does not fit the requested type, also after the corrections.
    #[error("the answer does not fit: {problem}")]
    Answer {
        /// The place and the reason of the last attempt.
        problem: String,
        /// The text of the last attempt.
        text: String,
    },
    /// The schema of the answer is invalid, or exceeds a limit.
    #[error("{message}")]
    Schema {
        /// The reason, with its place in the schema.
        message: String,
    },
    /// A hook refused the task. Nothing was recorded and no request was sent.
    #[error("the rule {hook} refused the task: {reason}")]
    Vetoed {
        /// The name of the hook.
        hook: String,
        /// The reason.
        reason: String,
    },
    /// The session does not have so many tasks that can be removed.
    #[error("the session can go back {have} tasks, not {tasks}")]
    Rewind {
        /// The number of tasks to remove.
        tasks: usize,
        /// The number of tasks that can be removed.
        have: usize,
    },
    /// The operating system does not provide random bytes for request ids.
    #[error("the operating system does not provide random bytes: {0}")]
    Random(String),
}
