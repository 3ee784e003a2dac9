//! Calls that somebody else than a model wants made: a workflow's, a program's. They are a run like any other, so that
//! there is one way from a call to its result (RULES H1): only the model is not one, but answers with these calls and
//! says that it is done when their results are there.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::StreamExt;
use windlass_hitl::ApprovalOutcome;
use windlass_journal::Record;
use windlass_loop::{CallStart, Config, ContextLimits, Entry, Event, Input, Limits, Machine, Outcome};
use windlass_model::{ChunkStream, Model, ModelFuture};
use windlass_protocol::{CallId, Hints, Part, Request, StopReason, ToolCall, ToolProtocol, ToolResult};
use windlass_stream::{CallChunk, Chunk, WholeCall};
use windlass_toolbox::Toolbox;

use crate::agent::Parts;
use crate::driver::Driver;
use crate::judging::is_tainted;
use crate::tools::Tools;
use crate::{Agent, AgentBuilder, AgentError, EventStream, RunOptions};

/// Calls that are made, as a stream of what happens. Dropping it stops them; the record says how far they came.
#[derive(Debug)]
pub struct Performing {
    calls: Vec<CallId>,
    results: BTreeMap<CallId, ToolResult>,
    answers: BTreeMap<CallId, ApprovalOutcome>,
    /// Which question is about which call.
    questions: BTreeMap<String, CallId>,
    outcome: Option<Outcome>,
    /// Nothing if the record says everything.
    stream: Option<EventStream>,
}

/// What came of calls that were made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Performed {
    /// The results that are there, in call order: all of them, unless `outcome` says that some are waited for.
    pub results: Vec<ToolResult>,
    /// How the questions ended that were asked about calls.
    pub answers: BTreeMap<CallId, ApprovalOutcome>,
    /// Completed; or suspended, stopped or failed on the way.
    pub outcome: Outcome,
}

impl Agent {
    /// Makes calls exactly as if a model had asked for them together: looked up, checked, judged, asked about, run and
    /// recorded. No model is asked. Where the options' journal records such a run already, it goes on from there: what has
    /// its result is not made again.
    ///
    /// The agent's limits and budget do not count here, and a completion is a call like any other.
    ///
    /// ```
    /// # use windlass_agent::{Agent, RunOptions};
    /// # use windlass_model::{Model, ModelFuture};
    /// # use windlass_protocol::{Arguments, CallId, Request, ResultStatus, ToolCall, ToolName};
    /// # struct Silent;
    /// # impl Model for Silent {
    /// #     fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> { Box::pin(std::future::pending()) }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = Agent::builder().model(Silent, "not asked").build()?;
    /// let call = ToolCall::function(CallId::new("1")?, ToolName::new("look")?, Arguments::default());
    /// let done = agent.perform([call], RunOptions::default())?.performed().await?;
    /// assert_eq!(done.results[0].status, ResultStatus::UnknownTool);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the journal cannot be read, records something else than these calls, or the mode that it was in is not there.
    pub fn perform(
        &self,
        calls: impl IntoIterator<Item = ToolCall>,
        mut options: RunOptions,
    ) -> Result<Performing, AgentError> {
        let calls: Vec<ToolCall> = calls.into_iter().collect();
        let records = options.journal.records()?;
        let entries = records.iter().map(Record::read::<Entry>).collect::<Result<Vec<_>, _>>()?;
        let ids = calls.iter().map(|call| call.id.clone()).collect();
        if !is_of(&entries, &calls) {
            return Err(AgentError::OtherCalls);
        }
        let mut performing = Performing {
            calls: ids,
            results: results_of(&entries),
            answers: answers_of(&entries),
            questions: BTreeMap::new(),
            outcome: None,
            stream: None,
        };
        if let Some(Entry::Finished { outcome: outcome @ Outcome::Completed { .. } }) = entries.last() {
            performing.outcome = Some(outcome.clone());
            return Ok(performing);
        }
        options.read(&entries);
        let parts = self.parts();
        let tools = parts.performing_tools(&entries)?;
        let config = tools.config(&parts.performing()).with_run(options.run_id());
        options.model = Some(Arc::new(TheseCalls(calls)));
        let (machine, effects) = if entries.is_empty() {
            let mut machine = Machine::new(config);
            let effects = machine.step(Input::Start { task: TASK.to_owned() }, 0);
            (machine, effects)
        } else {
            Machine::resume(config, entries, 0)?
        };
        let stream = EventStream::new(Driver::new(parts, tools, machine, options), effects);
        performing.stream = Some(stream);
        Ok(performing)
    }
}

impl Agent {
    /// Begins an agent in the place of this one: the same in all but what the builder is told, and without what answers
    /// taught this one.
    pub fn beside(&self) -> AgentBuilder {
        let parts = self.parts();
        AgentBuilder::beside(parts, parts.toolbox.as_ref().map(Toolbox::for_agent))
    }

    /// Whether a call brings text that strangers wrote. What is made after it is to know that
    /// ([`RunOptions::with_earlier_calls`]).
    pub fn brings_text_from_outside(&self, call: &ToolCall) -> bool {
        is_tainted(self.parts().toolbox.as_ref().map(Toolbox::refreshed).as_ref(), std::iter::once(call))
    }

    /// What a tool says about itself, if there is one of this name.
    pub fn hints(&self, tool: &str) -> Option<Hints> {
        self.parts().toolbox.as_ref()?.refreshed().find(tool).map(|tool| tool.hints())
    }
}

/// What stands in the record where a task stands otherwise.
const TASK: &str = "Make these calls.";
/// What the model that is none says at the end.
const DONE: &str = "The calls are made.";

impl Performing {
    /// Reads to the end and keeps what came of the calls.
    ///
    /// # Errors
    /// If the run of the calls cannot be driven.
    pub async fn performed(mut self) -> Result<Performed, AgentError> {
        while let Some(event) = self.next().await {
            event?;
        }
        self.into_performed()
    }

    /// What came of the calls, when the stream is at its end.
    ///
    /// # Errors
    /// If it is not.
    pub fn into_performed(mut self) -> Result<Performed, AgentError> {
        let outcome = self.outcome.ok_or(AgentError::Unfinished)?;
        let results = self.calls.iter().filter_map(|call| self.results.remove(call)).collect();
        Ok(Performed { results, answers: self.answers, outcome })
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

impl Stream for Performing {
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

/// Whether a record is empty or of these calls. Arguments are on record without secrets, so names and ids are compared.
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

impl Parts {
    /// What such a run is set up with: no limit and no budget counts, for no model is asked.
    fn performing(&self) -> Config {
        let limits = Limits {
            turns: 0,
            mistakes: 0,
            repeats: 0,
            nudges: 0,
            stream_retries: 0,
            approval_timeout_ms: self.config.limits.approval_timeout_ms,
        };
        Config::new("calls", Vec::new())
            .with_limits(limits)
            .with_call_start(CallStart::AfterAnswer)
            .with_context(ContextLimits::default())
            .with_unanswered(self.config.unanswered)
            .with_protocols([ToolProtocol::Native])
    }

    /// The tools of a run that begins, or that was in the mode on record.
    fn performing_tools(&self, entries: &[Entry]) -> Result<Arc<Tools>, AgentError> {
        let recorded = entries.iter().rev().find_map(|entry| match entry {
            Entry::Mode { mode } => Some(mode.as_str()),
            _ => None,
        });
        let mode = recorded.or(self.work_mode.as_deref());
        Ok(Arc::new(Tools::new(self.toolbox.as_ref(), None, mode)?.without_completion()))
    }
}

/// A model that answers with the same calls, and is done when they are in the conversation.
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
            chunks.extend(self.0.iter().map(whole));
        }
        let (reason, raw) = if is_done { (StopReason::End, "stop") } else { (StopReason::Calls, "calls") };
        chunks.push(Chunk::Finish { reason, raw: raw.to_owned() });
        let stream = futures_util::stream::iter(chunks.into_iter().map(Ok));
        Box::pin(async move { Ok(Box::pin(stream) as ChunkStream) })
    }
}

fn whole(call: &ToolCall) -> Chunk {
    Chunk::Call(CallChunk::Whole {
        id: Some(call.id.to_string()),
        name: call.name.to_string(),
        body: WholeCall::Payload(call.payload.clone()),
        opaque: call.opaque.clone(),
    })
}
