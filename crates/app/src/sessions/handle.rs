//! The handle to a working run.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;
use windlass_agent::RunningCalls;
use windlass_tool::CancellationToken;
use windlass_toolbox::Toolbox;

use super::answer::{Answer, AnswerError, OpenQuestion};
use super::desk::Desk;
use crate::config::Task;
use crate::error::Result;
use crate::feed::{AgentPath, Feed, RunOutcome};
use crate::runs::{MessageTime, RunFolder, StopRequest, leave_message, stop_call};

/// Handle to a run that works in this process. Clones are handles to the same run, and dropping them does not stop it.
#[derive(Clone)]
pub struct RunHandle {
    pub(super) shared: Arc<RunShared>,
}

/// The parts of a working run that its windows use.
pub(super) struct RunShared {
    pub(super) session: String,
    pub(super) folder: RunFolder,
    pub(super) desk: Desk,
    pub(super) feed: Feed,
    pub(super) cancellation: CancellationToken,
    pub(super) calls: RunningCalls,
    pub(super) toolbox: Option<Toolbox>,
    /// The end of the run.
    pub(super) end: watch::Sender<Option<RunEnd>>,
}

/// End of a run in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEnd {
    /// The run has an outcome.
    Outcome(RunOutcome),
    /// The run cannot continue in this process. It can be resumed.
    Error {
        /// The error.
        message: String,
    },
}

impl RunHandle {
    /// Returns the id of the session.
    pub fn session(&self) -> &str {
        &self.shared.session
    }

    /// Returns the id of the run.
    pub fn run(&self) -> &str {
        &self.shared.folder.id
    }

    /// Returns the open questions of the run and its sub-agents.
    pub fn questions(&self) -> Vec<OpenQuestion> {
        self.shared.desk.questions()
    }

    /// Answers a question. `by` names the window, for example `terminal` or `web: phone`. The first answer counts.
    ///
    /// # Errors
    ///
    /// Returns [`AnswerError::AlreadyAnswered`] if another answer came first, and another error if the question is not
    /// open or needs another kind of answer.
    pub fn answer(&self, question: &str, answer: Answer, by: &str) -> Result<(), AnswerError> {
        self.shared.desk.answer(question, answer, by)
    }

    /// Sends a message to the model: now, with its next request, or after the task. A message can have pictures and
    /// files, like a task.
    ///
    /// # Errors
    ///
    /// Fails if the message is empty or cannot be stored, or if the run is completed.
    pub fn send(&self, message: impl Into<Task>, when: impl Into<MessageTime>) -> Result<()> {
        leave_message(&self.shared.folder, message, when)
    }

    /// Stops a call of the run itself while the run continues: the model receives the result that the call was
    /// cancelled. Returns false if the call does not work, for example because it waits for an answer.
    pub fn stop_call(&self, call: &str) -> bool {
        stop_call(&self.shared.calls, None, call)
    }

    /// Stops a call of a sub-agent while the sub-agent continues. `agent` is the place from the events of the call.
    /// Returns false if the call does not work.
    pub fn stop_agent_call(&self, agent: &AgentPath, call: &str) -> bool {
        stop_call(&self.shared.calls, Some(agent), call)
    }

    /// Performs a request to stop. Returns false if the call does not work.
    pub(super) fn perform_stop(&self, request: &StopRequest) -> bool {
        request.perform(&self.shared.calls, &self.shared.cancellation)
    }

    /// Stops the run in order: every call that started still gets its result.
    pub fn stop(&self) {
        self.shared.cancellation.cancel();
    }

    /// Returns the end of the run, if it has ended.
    pub fn end(&self) -> Option<RunEnd> {
        self.shared.end.borrow().clone()
    }

    /// Waits for the end of the run. Cancel-safe.
    pub async fn wait(&self) -> RunEnd {
        let mut end = self.shared.end.subscribe();
        let ended = end.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        ended.unwrap_or_else(|| RunEnd::Error { message: "the run was abandoned".to_owned() })
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle")
            .field("session", &self.shared.session)
            .field("run", &self.shared.folder.id)
            .finish_non_exhaustive()
    }
}
