//! The agent and the report of a finished run.

use std::sync::Arc;

use futures_util::StreamExt;
use windlass_journal::Record;
use windlass_loop::{Entry, Event, Input, Machine, Outcome};
use windlass_protocol::Usage;

use crate::agent_inner::AgentInner;
use crate::driver::Driver;
use crate::redacting::history_without;
use crate::{AgentBuilder, AgentError, EventStream, RunOptions};

/// A language model with tools, a policy and an approver, which executes tasks.
///
/// A run sends the task to the model, executes the tool calls that the policy or the approver allows, appends
/// their results to the conversation, and repeats this until the task is completed or a limit is reached.
/// [`run`](Self::run) returns the outcome, [`stream`](Self::stream) also returns every event, and
/// [`resume`](Self::resume) continues a run from its journal.
///
/// An agent is immutable and cheap to clone. Its runs are independent of each other, except for the learned
/// approvals ([`AgentBuilder::approval_history`]), which they share.
///
/// ```
/// # use windlass_agent::Agent;
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
/// # struct Parrot;
/// # impl Model for Parrot {
/// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
/// #         let chunks = [Chunk::text("hello"), Chunk::Finish { reason: StopReason::End, raw: "stop".into() }];
/// #         Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::builder().model(Parrot, "parrot-1").build()?;
/// let report = agent.run("say hello").await?;
/// assert_eq!(report.text(), Some("hello"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Agent {
    parts: Arc<AgentInner>,
}

/// The result of a run that has ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The way in which the run ended.
    pub outcome: Outcome,
    /// The tokens that the run used.
    pub usage: Usage,
}

impl Report {
    /// Returns the model's final text if the task is completed.
    pub fn text(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Completed { text } => Some(text),
            _ => None,
        }
    }
}

impl Agent {
    /// Returns a builder with the default settings.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    pub(crate) fn new(parts: AgentInner) -> Self {
        Self { parts: Arc::new(parts) }
    }

    pub(crate) fn parts(&self) -> &Arc<AgentInner> {
        &self.parts
    }

    /// Runs a task to its end.
    ///
    /// Dropping the future cancels the run. Requires a tokio runtime with time enabled.
    ///
    /// # Errors
    /// Returns an error if the run cannot be executed, for example because its journal fails. A task that
    /// fails is an [`Outcome`] and not an error.
    pub async fn run(&self, task: impl Into<String>) -> Result<Report, AgentError> {
        self.stream(task).report().await
    }

    /// Runs a task and returns its events. Dropping the stream cancels the run.
    pub fn stream(&self, task: impl Into<String>) -> EventStream {
        self.stream_with(task, RunOptions::default())
    }

    /// Like [`stream`](Self::stream), but with options, for example a journal or a cancellation token.
    pub fn stream_with(&self, task: impl Into<String>, mut options: RunOptions) -> EventStream {
        let parts = self.parts.clone();
        let tools = parts.begin();
        let config =
            tools.config(&parts.config).with_run(options.run_id()).with_origin(options.origin.take());
        let mut machine = Machine::new(config);
        if let Some(history) = options.history.take() {
            machine = machine.with_history(history_without(&parts.redactor, history));
        }
        let effects =
            machine.step(Input::Start { task: parts.redactor.redact(&task.into()).into_owned() }, 0);
        EventStream::new(Driver::new(&parts, tools, machine, options), effects)
    }

    /// Continues the run that the journal of the options records, in the mode that the run was in.
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read, if its run cannot be continued, or if the toolbox does
    /// not have the recorded mode.
    pub fn resume(&self, mut options: RunOptions) -> Result<EventStream, AgentError> {
        let records = options.journal.records()?;
        let entries = records.iter().map(Record::read::<Entry>).collect::<Result<Vec<_>, _>>()?;
        options.read(&entries);
        let parts = self.parts.clone();
        let mode = entries.iter().rev().find_map(|entry| match entry {
            Entry::Mode { mode } => Some(mode.as_str()),
            _ => None,
        });
        let tools = parts.tools(mode.or(parts.work_mode.as_deref()))?;
        let config = tools.config(&parts.config).with_run(options.run_id());
        let (machine, effects) = Machine::resume(config, entries, 0)?;
        Ok(EventStream::new(Driver::new(&parts, tools, machine, options), effects))
    }
}

impl EventStream {
    /// Reads all events and returns the outcome.
    ///
    /// # Errors
    /// Returns the error that ended the stream, or [`AgentError::Unfinished`] if the last event was read
    /// before this call.
    pub async fn report(mut self) -> Result<Report, AgentError> {
        let mut report = None;
        while let Some(event) = self.next().await {
            if let Event::Finished { outcome, total } = event? {
                report = Some(Report { outcome, usage: total });
            }
        }
        report.ok_or(AgentError::Unfinished)
    }
}
