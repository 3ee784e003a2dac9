//! Execution of calls that a workflow or a program makes instead of a model. The calls are an ordinary run,
//! so that every call takes the same path to its result (RULES H1). A scripted model replaces the real one:
//! it answers with the given calls and completes the task when their results are in the conversation.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::StreamExt;
use windlass_hitl::ApprovalOutcome;
use windlass_journal::Record;
use windlass_loop::{CallStart, Config, ContextLimits, Entry, Event, Input, Machine, Outcome, RunLimits};
use windlass_protocol::{CallId, Hints, Part, Request, StopReason, ToolCall, ToolProtocol, ToolResult};
use windlass_stream::{CallChunk, Chunk, ChunkStream, Model, ModelFuture, WholeCall};
use windlass_toolbox::Toolbox;

use crate::agent_inner::AgentInner;
use crate::driver::Driver;
use crate::taint::is_tainted;
use crate::tools::Tools;
use crate::{Agent, AgentBuilder, AgentError, EventStream, RunOptions};

/// The event stream of [`Agent::execute_calls`]. Dropping it stops the calls; the journal records their progress.
#[derive(Debug)]
pub struct CallBatch {
    calls: Vec<CallId>,
    results: BTreeMap<CallId, ToolResult>,
    answers: BTreeMap<CallId, ApprovalOutcome>,
    /// The call that each approval request is about, by request id.
    questions: BTreeMap<String, CallId>,
    outcome: Option<Outcome>,
    /// `None` if the journal already contains the end of the run.
    stream: Option<EventStream>,
}

/// The results of executed calls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchReport {
    /// The available results in call order. Some are missing only if `outcome` is not completed.
    pub results: Vec<ToolResult>,
    /// The outcomes of the approval requests, by call.
    pub answers: BTreeMap<CallId, ApprovalOutcome>,
    /// The outcome of the run: completed, suspended, stopped or failed.
    pub outcome: Outcome,
}

impl Agent {
    /// Executes calls as if a model had requested them together in one answer: each call is looked up,
    /// checked, decided by the policy, approved if necessary, run and recorded. No request is sent to a
    /// model.
    ///
    /// If the journal of the options already records a run of these calls, that run continues, and calls with
    /// a result are not executed again.
    ///
    /// The agent's limits and budget do not apply, except for the approval timeout. A call of a completion
    /// tool is executed like every other call.
    ///
    /// ```
    /// # use windlass_agent::{Agent, RunOptions};
    /// # use windlass_stream::{Model, ModelFuture};
    /// # use windlass_protocol::{Arguments, CallId, Request, ResultStatus, ToolCall, ToolName};
    /// # struct Silent;
    /// # impl Model for Silent {
    /// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> { Box::pin(std::future::pending()) }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = Agent::builder().model(Silent, "not asked").build()?;
    /// let call = ToolCall::function(CallId::new("1")?, ToolName::new("look")?, Arguments::default());
    /// let done = agent.execute_calls([call], RunOptions::default())?.finish().await?;
    /// assert_eq!(done.results[0].status, ResultStatus::UnknownTool);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the journal cannot be read, if it records other calls, or if the toolbox does not
    /// have the recorded mode.
    pub fn execute_calls(
        &self,
        calls: impl IntoIterator<Item = ToolCall>,
        mut options: RunOptions,
    ) -> Result<CallBatch, AgentError> {
        let calls: Vec<ToolCall> = calls.into_iter().collect();
        let records = options.journal.records()?;
        let entries = records.iter().map(Record::read::<Entry>).collect::<Result<Vec<_>, _>>()?;
        let ids = calls.iter().map(|call| call.id.clone()).collect();
        if !is_of(&entries, &calls) {
            return Err(AgentError::OtherCalls);
        }
        let mut batch = CallBatch {
            calls: ids,
            results: results_of(&entries),
            answers: answers_of(&entries),
            questions: BTreeMap::new(),
            outcome: None,
            stream: None,
        };
        if let Some(Entry::Finished { outcome: outcome @ Outcome::Completed { .. } }) = entries.last() {
            batch.outcome = Some(outcome.clone());
            return Ok(batch);
        }
        options.read(&entries);
        let parts = self.parts();
        let tools = parts.batch_tools(&entries)?;
        let config = tools.config(&parts.batch_config()).with_run(options.run_id());
        options.model = Some(Arc::new(TheseCalls(calls)));
        let (machine, effects) = if entries.is_empty() {
            let mut machine = Machine::new(config);
            let effects = machine.step(Input::Start { task: TASK.into() }, 0);
            (machine, effects)
        } else {
            Machine::resume(config, entries, 0)?
        };
        let stream = EventStream::new(Driver::new(parts, tools, machine, options), effects);
        batch.stream = Some(stream);
        Ok(batch)
    }
}

impl Agent {
    /// Returns a builder with this agent's settings and toolbox. The system prompt, the work mode, the
    /// learned approvals and the agent's own budget are not copied.
    pub fn copy_builder(&self) -> AgentBuilder {
        let parts = self.parts();
        AgentBuilder::for_copy(parts, parts.toolbox.as_ref().map(Toolbox::for_agent))
    }

    /// Returns whether the call can return text from outside: from a network connection, an MCP server or
    /// another agent. Declare such a call to later runs that know its result
    /// ([`RunOptions::with_earlier_calls`]).
    pub fn brings_text_from_outside(&self, call: &ToolCall) -> bool {
        is_tainted(self.parts().toolbox.as_ref().map(Toolbox::refresh).as_ref(), std::iter::once(call))
    }

    /// Returns the hints of the tool with this name, or `None` if the toolbox does not have it.
    pub fn hints(&self, tool: &str) -> Option<Hints> {
        self.parts().toolbox.as_ref()?.refresh().find(tool).map(|tool| tool.hints())
    }
}

/// The task in the record of such a run.
const TASK: &str = "Make these calls.";
/// The final text of the scripted model.
const DONE: &str = "The calls are made.";

impl CallBatch {
    /// Reads all events and returns the results.
    ///
    /// # Errors
    /// Returns an error if the run of the calls cannot be executed.
    pub async fn finish(mut self) -> Result<BatchReport, AgentError> {
        while let Some(event) = self.next().await {
            event?;
        }
        self.into_report()
    }

    /// Returns the results after the last event was read.
    ///
    /// # Errors
    /// Returns [`AgentError::Unfinished`] if events remain to be read.
    pub fn into_report(mut self) -> Result<BatchReport, AgentError> {
        let outcome = self.outcome.ok_or(AgentError::Unfinished)?;
        let results = self.calls.iter().filter_map(|call| self.results.remove(call)).collect();
        Ok(BatchReport { results, answers: self.answers, outcome })
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::CallEnded { result } => drop(self.results.insert(result.call.clone(), result.clone())),
            Event::ToolApprovalRequest { request_id, request, .. } => {
                self.questions.insert(request_id.clone(), request.call.id.clone());
            }
            Event::ApprovalEnded { outcome } => {
                if let Some(call) = self.questions.get(outcome.request_id()) {
                    self.answers.insert(call.clone(), outcome.clone());
                }
            }
            Event::Finished { outcome, .. } => self.outcome = Some(outcome.clone()),
            _ => {}
        }
    }
}

impl Stream for CallBatch {
    type Item = Result<Event, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(stream) = &mut this.stream else { return Poll::Ready(None) };
        let next = Pin::new(stream).poll_next(cx);
        if let Poll::Ready(Some(Ok(event))) = &next {
            this.see(event);
        }
        next
    }
}

/// Returns whether a record is empty or contains these calls. Ids and names are compared, because the
/// recorded arguments do not contain secrets.
fn is_of(entries: &[Entry], calls: &[ToolCall]) -> bool {
    let recorded = entries.iter().find_map(|entry| match entry {
        Entry::Answered { message, .. } => Some(message),
        _ => None,
    });
    let name = |call: &ToolCall| (call.id.clone(), call.name.clone());
    recorded.is_none_or(|message| message.calls().map(name).eq(calls.iter().map(name)))
}

fn results_of(entries: &[Entry]) -> BTreeMap<CallId, ToolResult> {
    let result = |entry: &Entry| match entry {
        Entry::Result { result } => Some((result.call.clone(), result.clone())),
        _ => None,
    };
    entries.iter().filter_map(result).collect()
}

fn answers_of(entries: &[Entry]) -> BTreeMap<CallId, ApprovalOutcome> {
    let answer = |entry: &Entry| match entry {
        Entry::Approval { call, outcome } => Some((call.clone(), outcome.clone())),
        _ => None,
    };
    entries.iter().filter_map(answer).collect()
}

impl AgentInner {
    /// Returns the configuration of such a run. Limits and the budget do not apply, because no model is
    /// requested.
    fn batch_config(&self) -> Config {
        let limits = RunLimits {
            turns: 0,
            mistakes: 0,
            repeats: 0,
            nudges: 0,
            stream_retries: 0,
            cost: 0,
            approval_timeout_ms: self.config.limits.approval_timeout_ms,
        };
        Config::new("calls", Vec::new())
            .with_limits(limits)
            .with_call_start(CallStart::AfterAnswer)
            .with_context(ContextLimits::default())
            .with_unanswered(self.config.unanswered)
            .with_protocols([ToolProtocol::Native])
    }

    /// Returns the tools in the recorded mode, or in the agent's initial mode without a record.
    fn batch_tools(&self, entries: &[Entry]) -> Result<Arc<Tools>, AgentError> {
        let recorded = entries.iter().rev().find_map(|entry| match entry {
            Entry::Mode { mode } => Some(mode.as_str()),
            _ => None,
        });
        let mode = recorded.or(self.work_mode.as_deref());
        Ok(Arc::new(Tools::new(self.toolbox.as_ref(), None, mode)?.ignore_completion()))
    }
}

/// A scripted model that answers with these calls, and completes the task when the conversation contains
/// them.
struct TheseCalls(Vec<ToolCall>);

impl Model for TheseCalls {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        let is_done = self.0.is_empty()
            || request.messages.iter().any(|message| {
                message.parts.iter().any(|part| matches!(part, Part::Call(_) | Part::Result(_)))
            });
        let mut chunks: Vec<Chunk> = Vec::new();
        if is_done {
            chunks.push(Chunk::text(DONE));
        } else {
            chunks.extend(self.0.iter().map(to_chunk));
        }
        let (reason, raw) = if is_done { (StopReason::End, "stop") } else { (StopReason::Calls, "calls") };
        chunks.push(Chunk::Finish { reason, raw: raw.to_owned() });
        let stream = futures_util::stream::iter(chunks.into_iter().map(Ok));
        Box::pin(async move { Ok(Box::pin(stream) as ChunkStream) })
    }
}

fn to_chunk(call: &ToolCall) -> Chunk {
    Chunk::Call(CallChunk::Whole {
        id: Some(call.id.to_string()),
        name: call.name.to_string(),
        body: WholeCall::Payload(call.payload.clone()),
        opaque: call.opaque.clone(),
    })
}
