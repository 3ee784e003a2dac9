//! A session: a conversation of several tasks.

mod hand_offs;
#[cfg(feature = "typed")]
mod typed;

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use windlass_hitl::Grants;
use windlass_loop::{BudgetUsage, Event, Outcome, Transcript};
use windlass_protocol::{History, Message, Usage};

use self::hand_offs::HandOffs;
#[cfg(feature = "typed")]
pub use self::typed::{AnswerSchema, TypedEvent, TypedReport, TypedStream};
use crate::{Agent, AgentError, EventStream, Report, RunOptions, SharedGrants};

/// A conversation with an agent: each task sees the tasks before it, and a human's approvals for the session hold in
/// all of them.
///
/// Each task is a run of its own, with its own limits and its own id. A session remembers a task when its run has
/// been completed or has stopped. It does not remember a run that failed, so the same task can be sent again; nor one
/// whose stream was dropped or that waits for an answer from outside, which only [`Agent::resume`] continues.
///
/// ```
/// # use windlass_agent::{Agent, AgentError};
/// async fn greet(agent: &Agent) -> Result<String, AgentError> {
///     let mut session = agent.session();
///     session.send("My name is Ada.").await?;
///     let mut other = session.fork();
///     let name = session.send("What is my name?").await?.into_text()?;
///     other.send("Say nothing.").await?;
///     session.rewind(1)?;
///     Ok(name)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    pub(crate) agent: Agent,
    messages: History,
    /// The length of the conversation before each remembered task, as far as no compaction removed it.
    starts: Vec<usize>,
    grants: SharedGrants,
    usage: Usage,
    used: BudgetUsage,
}

/// The serialisable state of a session: its conversation, its grants and its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedSession {
    /// The conversation.
    pub messages: History,
    /// The length of the conversation before each task.
    pub starts: Vec<usize>,
    /// The calls that a human allowed for the session.
    pub grants: Grants,
    /// The tokens of all tasks.
    pub usage: Usage,
    /// The requests and the cost of all tasks.
    pub used: BudgetUsage,
}

impl Session {
    pub(crate) fn new(agent: Agent) -> Self {
        Self::from_saved(agent, SavedSession::default())
    }

    /// Creates a session of an agent from a saved state.
    pub fn from_saved(agent: Agent, saved: SavedSession) -> Self {
        let SavedSession { messages, mut starts, grants, usage, used } = saved;
        starts.retain(|start| *start < messages.len());
        Self { agent, messages, starts, grants: SharedGrants::new(grants), usage, used }
    }

    /// Returns the state of the session, which can be serialised and given to [`from_saved`](Self::from_saved).
    pub fn save(&self) -> SavedSession {
        SavedSession {
            messages: self.messages.clone(),
            starts: self.starts.clone(),
            grants: self.grants.grants(),
            usage: self.usage,
            used: self.used,
        }
    }

    /// Runs a task to its end.
    ///
    /// # Errors
    /// Like [`Agent::run`].
    pub async fn send(&mut self, task: impl Into<Message>) -> Result<Report, AgentError> {
        self.stream(task).report().await?.check()
    }

    /// Runs a task and returns its events. Dropping the stream cancels the run.
    pub fn stream(&mut self, task: impl Into<Message>) -> SessionStream<'_> {
        self.stream_with(task, RunOptions::default())
    }

    /// Like [`stream`](Self::stream), but with options. The session replaces the history and the grants of the options.
    pub fn stream_with(&mut self, task: impl Into<Message>, options: RunOptions) -> SessionStream<'_> {
        let hand_offs = HandOffs::new(&options, self);
        let events = self.begin(task.into(), hand_offs.prepare(options));
        SessionStream { session: self, events, report: None, hand_offs }
    }

    /// Starts a run of the session's agent with the conversation so far.
    pub(crate) fn begin(&self, task: impl Into<Message>, options: RunOptions) -> EventStream {
        let history = Transcript::import(self.messages.iter().cloned()).transcript;
        let options = options.with_history(history).with_grants(self.grants.clone());
        self.agent.stream_with(task, options)
    }

    /// Returns the agent that answers now. After a hand-off it is another agent than at the beginning.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Returns the conversation, without the system prompt.
    pub fn messages(&self) -> &History {
        &self.messages
    }

    /// Returns the number of tasks that [`rewind`](Self::rewind) can remove.
    pub fn tasks(&self) -> usize {
        self.starts.len()
    }

    /// Returns the tokens of all tasks, failed ones included.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the requests and the cost of all tasks. The cost needs the prices of the agent's budget.
    pub fn used(&self) -> BudgetUsage {
        self.used
    }

    /// Returns the grants of the session.
    pub fn grants(&self) -> &SharedGrants {
        &self.grants
    }

    /// Returns an independent copy, with the same conversation and a copy of the grants.
    pub fn fork(&self) -> Self {
        Self::from_saved(self.agent.clone(), self.save())
    }

    /// Removes the last tasks and their answers from the conversation. Their effects on files remain, and their usage
    /// counts.
    ///
    /// # Errors
    /// Returns an error, and removes nothing, if the session does not have so many tasks, or compaction removed them.
    pub fn rewind(&mut self, tasks: usize) -> Result<(), AgentError> {
        let have = self.starts.len();
        let Some(keep) = have.checked_sub(tasks) else { return Err(AgentError::Rewind { tasks, have }) };
        if let Some(start) = self.starts.get(keep) {
            self.messages.truncate(*start);
        }
        self.starts.truncate(keep);
        Ok(())
    }

    /// Continues with another agent, for example one with another model or other tools.
    pub fn with_agent(mut self, agent: Agent) -> Self {
        self.agent = agent;
        self
    }

    pub(crate) fn end_task(&mut self, report: &Report) {
        self.usage.add(&report.usage);
        self.used = self.used.plus(report.used);
        if !matches!(report.outcome, Outcome::Completed { .. } | Outcome::Stopped { .. }) {
            return;
        }
        let start = self.messages.len();
        let messages = report.transcript.messages();
        if messages.starts_with(&self.messages) {
            self.starts.push(start);
        } else {
            // Compaction replaced the beginning, so that the earlier lengths mean nothing any more.
            self.starts.clear();
        }
        self.messages = messages.clone();
    }
}

/// The events of a task in a session. When its last event has been read, the session remembers the task.
#[derive(Debug)]
pub struct SessionStream<'a> {
    session: &'a mut Session,
    events: EventStream,
    report: Option<Report>,
    hand_offs: HandOffs,
}

impl SessionStream<'_> {
    /// Reads all events and returns the report. A run that failed is a report too.
    ///
    /// # Errors
    /// Like [`EventStream::report`], except that the last event may have been read before.
    pub async fn report(mut self) -> Result<Report, AgentError> {
        while let Some(event) = self.next().await {
            event?;
        }
        self.report.ok_or(AgentError::Unfinished)
    }
}

impl Stream for SessionStream<'_> {
    type Item = Result<Event, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let event = std::task::ready!(Pin::new(&mut this.events).poll_next(cx));
        if let Some(Ok(Event::Finished { outcome, total })) = &event
            && let Some(report) = this.events.take_report(outcome.clone(), *total)
        {
            if let Some(next) = this.hand_offs.next(&report) {
                let agent = next.name.clone();
                this.events = this.hand_offs.continue_with(this.session, next, &report);
                return Poll::Ready(Some(Ok(Event::HandOff { agent })));
            }
            this.session.end_task(&report);
            this.hand_offs.end(this.session, &report);
            this.report = Some(report);
        }
        Poll::Ready(event)
    }
}
