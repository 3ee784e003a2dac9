//! The agent.

use std::sync::Arc;

use windlass_journal::Record;
use windlass_loop::{Config, Entry, HookPoint, Input, Machine};
use windlass_protocol::{Control, Message};
use windlass_toolbox::Toolbox;

use crate::agent_inner::AgentInner;
use crate::driver::Driver;
use crate::redacting::{history_without, message_without};
use crate::tools::Tools;
use crate::{AgentBuilder, AgentError, EventStream, Report, RunOptions, Session};

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
/// assert_eq!(report.into_text()?, "hello");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Agent {
    parts: Arc<AgentInner>,
}

impl Agent {
    /// Returns a builder with the default settings.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    pub(crate) fn new(parts: AgentInner) -> Self {
        Self { parts: Arc::new(parts) }
    }

    pub(crate) fn from_parts(parts: Arc<AgentInner>) -> Self {
        Self { parts }
    }

    pub(crate) fn parts(&self) -> &Arc<AgentInner> {
        &self.parts
    }

    /// Runs a task to its end. The task is a text, or a message with pictures and files:
    /// `Message::user("What is this?").with_part(image)`.
    ///
    /// Dropping the future cancels the run. Requires a tokio runtime with time enabled.
    ///
    /// # Errors
    /// Returns [`AgentError::Failed`] with the provider's words if the run failed, and another error if it cannot be
    /// executed, for example because its journal fails. A run that stopped or waits is a [`Report`];
    /// [`Report::into_text`] returns an error for it.
    pub async fn run(&self, task: impl Into<Message>) -> Result<Report, AgentError> {
        self.run_with(task, RunOptions::default()).await
    }

    /// Like [`run`](Self::run), but with options.
    ///
    /// # Errors
    /// Like [`run`](Self::run).
    pub async fn run_with(
        &self,
        task: impl Into<Message>,
        options: RunOptions,
    ) -> Result<Report, AgentError> {
        self.stream_with(task, options).report().await?.check()
    }

    /// Returns the tools of the agent, as they are when a run begins.
    pub fn toolbox(&self) -> Option<&Toolbox> {
        self.parts.toolbox.as_ref()
    }

    /// Begins a session: a conversation of several tasks, in which each task sees what came before.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }

    /// Runs a task and returns its events. Dropping the stream cancels the run.
    pub fn stream(&self, task: impl Into<Message>) -> EventStream {
        self.stream_with(task, RunOptions::default())
    }

    /// Like [`stream`](Self::stream), but with options, for example a journal or a cancellation token.
    pub fn stream_with(&self, task: impl Into<Message>, mut options: RunOptions) -> EventStream {
        let parts = self.parts.clone();
        let (tools, mut machine) = self.prepare(&mut options);
        let task = message_without(&parts.redactor, task.into());
        if parts.hooks.has(HookPoint::Input) {
            return EventStream::new(
                Driver::new(&parts, tools, machine, options).with_task(task),
                Vec::new(),
            );
        }
        let effects = machine.step(Input::Start { task }, 0);
        EventStream::new(Driver::new(&parts, tools, machine, options), effects)
    }

    /// Compacts the conversation of [`RunOptions::with_history`], regardless of its size: the model, or the agent's
    /// summarizer, summarizes the older turns, and the newest answer stays. The run works without a task. Its outcome names the
    /// tokens before and after, and its conversation is the compacted one. The run fails, and the conversation stays as
    /// it is, if the model writes no summary.
    pub fn compact_with(&self, mut options: RunOptions) -> EventStream {
        let (tools, mut machine) = self.prepare(&mut options);
        let effects = machine.step(Input::Compact, 0);
        EventStream::new(Driver::new(&self.parts, tools, machine, options), effects)
    }

    /// Returns the tools and the machine of a new run.
    fn prepare(&self, options: &mut RunOptions) -> (Arc<Tools>, Machine) {
        let parts = &self.parts;
        let answer_toolbox = options.answer_toolbox.take();
        let tools = match &answer_toolbox {
            Some(toolbox) => parts.tools_of(toolbox, None).expect("no mode is looked up"),
            None => parts.begin(),
        };
        let request = parts.config.options.merge(&options.request);
        let config = tools.config(&parts.config).with_options(request).with_output(options.output.clone());
        let config = match answer_toolbox {
            Some(_) => expect_answer_call(config, parts.corrections),
            None => config,
        };
        let config = config.with_run(options.run_id()).with_origin(options.origin.take());
        let machine = Machine::new(config);
        let machine = match options.history.take() {
            Some(history) => machine.with_history(history_without(&parts.redactor, history)),
            None => machine,
        };
        (tools, machine)
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
        let mode = mode.or(parts.work_mode.as_deref());
        let answer_toolbox = options.answer_toolbox.take();
        let tools = match &answer_toolbox {
            Some(toolbox) => parts.tools_of(toolbox, mode)?,
            None => parts.tools(mode)?,
        };
        let config =
            tools.config(&parts.config).with_run(options.run_id()).with_output(options.output.clone());
        let config = match answer_toolbox {
            Some(_) => expect_answer_call(config, parts.corrections),
            None => config,
        };
        let (machine, effects) = Machine::resume(config, entries, 0)?;
        Ok(EventStream::new(Driver::new(&parts, tools, machine, options), effects))
    }
}

/// Returns the configuration of a run in which a tool takes the answer. Text can end the run too, unless the agent has a
/// tool for completions: a model that answers in text is corrected in the next task. Calls that do not fit do not
/// reach the limit of mistakes before their corrections are used.
fn expect_answer_call(mut config: Config, corrections: u32) -> Config {
    config.ends_with_text |= !config.tools.iter().any(|tool| tool.hints.control == Control::Completion);
    let mistakes = &mut config.limits.mistakes;
    if *mistakes != 0 {
        *mistakes = corrections.saturating_add(1).max(*mistakes);
    }
    config
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("model", &self.parts.config.model).finish_non_exhaustive()
    }
}
