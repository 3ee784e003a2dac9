//! The side effects of a run: requests to the model, tool calls, and questions to people. Every task that is
//! started here ends with the run.

mod calls;
mod context;
mod early;
mod hooks;
mod interrupted;
mod questions;
mod speculative;
mod start;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Duration;
use windlass_loop::{Command, Input, InterruptId};
use windlass_protocol::{CallId, Request, ToolCall, ToolProtocol, ToolResult};
use windlass_stream::Model;
use windlass_text_calls::SpokenHistory;
use windlass_tool::CancellationToken;

use self::early::EarlyChecks;
use crate::agent_inner::AgentInner;
use crate::asking::{self, Asking, RequestHooks, StreamingAnswer};
use crate::call_guard::CallGuard;
use crate::checkpointer::Gate;
use crate::options::Guidance;
use crate::outbox::Outbox;
use crate::own_run::OwnRun;
use crate::summarizer::SummaryModel;
use crate::taint::is_tainted;
use crate::tools::Tools;

/// The executor of the machine's effects, whose results return to the machine as inputs.
pub(crate) struct CommandRunner {
    parts: Arc<AgentInner>,
    tools: Arc<Tools>,
    inputs: mpsc::Sender<Box<Input>>,
    events: Option<Outbox>,
    run: OwnRun,
    /// All started tasks. Dropping the set aborts them.
    tasks: JoinSet<()>,
    /// The answer that streams.
    pub(crate) answer: StreamingAnswer,
    early: EarlyChecks,
    guard: Arc<CallGuard>,
    questions: HashMap<String, (CallId, AbortHandle)>,
    /// A channel that is closed when the newest approval request has been passed to the approver.
    newest_question: Option<oneshot::Receiver<()>>,
    /// Results of deferred calls, which arrived before this process started.
    results: HashMap<CallId, ToolResult>,
    guidance: Option<Guidance>,
    /// The id and the task of the open consultation.
    consulting: Option<(InterruptId, AbortHandle)>,
    /// The gate at which calls wait for the checkpoint.
    gate: Arc<Gate>,
    calls: CancellationToken,
    /// Cancels the calls that run while their answer still streams.
    ahead: CancellationToken,
    /// The conversation as text, for protocols in which calls travel as text.
    spoken: Arc<Mutex<SpokenHistory>>,
    /// True if the next request asks for a summary.
    is_summary: bool,
    /// The number of vetoes of hooks in a row against answers.
    vetoes: Arc<AtomicU32>,
}

impl CommandRunner {
    pub(crate) fn watch(&mut self, events: Outbox) {
        self.events = Some(events);
    }

    /// Sets whether the requests that follow ask for a summary.
    pub(crate) fn set_summary(&mut self, is_summary: bool) {
        self.is_summary = is_summary;
    }

    pub(crate) fn perform(&mut self, effect: Command) {
        // Remove finished tasks from the set.
        while self.tasks.try_join_next().is_some() {}
        match effect {
            Command::Send { request, protocol, delay_ms } => self.send(*request, protocol, delay_ms),
            Command::CloseStream => self.answer.close(),
            Command::CheckEarly { answer, key, tool, argument, value } => {
                if let Some(refusal) =
                    self.early.check((&self.parts, &self.tools), (answer, key), &tool, &argument, value)
                {
                    self.send_back(Input::RefusedEarly { answer, key, refusal });
                }
            }
            Command::RunSpeculatively { answer, call } => self.run_ahead(answer, call),
            Command::AbandonSpeculative { .. } => {
                self.ahead.cancel();
                self.ahead = self.calls.child_token();
            }
            Command::Decide(call) => self.decide(call),
            Command::Ask(request) => self.ask(*request),
            Command::Run(call) => self.run(call),
            Command::Reconcile { call, planned } => self.look_back(call, planned),
            Command::Collect(call) => self.collect(call),
            Command::Abort => self.calls.cancel(),
            Command::Interrupt { id, question } => self.consult(id, question),
            Command::Withdraw { id } => self.withdraw(id),
            // The driver executes the remaining effects: records, events and the end.
            _ => {}
        }
    }

    fn send(&mut self, request: Request, protocol: ToolProtocol, delay_ms: u64) {
        self.answer.close();
        // The run continues without the question that this answer is for; the machine reports that the answer
        // is refused.
        if let Some(Guidance { id, words }) = self.guidance.take() {
            self.send_back(Input::InterruptReply { id: id.unwrap_or_default(), words: Some(words) });
        }
        let (sender, pieces) = asking::batch_channel();
        let asking = Asking {
            model: self.model(),
            // A summarizer writes no calls, so it needs no encoding of calls.
            speech: self.parts.speech.for_protocol(protocol).filter(|_| !self.is_summarized_by_program()),
            request,
            spoken: Arc::clone(&self.spoken),
            hooks: self.request_hooks(),
        };
        let task = self.tasks.spawn(async move {
            tokio::time::sleep(with_jitter(Duration::from_millis(delay_ms))).await;
            asking.run(sender).await;
        });
        self.answer.open(pieces, task);
    }

    fn is_summarized_by_program(&self) -> bool {
        self.is_summary && self.parts.summarizer.is_some()
    }

    /// Returns the model of the next request.
    fn model(&self) -> Arc<dyn Model> {
        match (&self.run.model, &self.parts.summarizer) {
            (Some(model), _) => Arc::clone(model),
            (None, Some(summarizer)) if self.is_summary => Arc::new(SummaryModel(Arc::clone(summarizer))),
            _ => Arc::clone(&self.parts.model),
        }
    }

    /// Returns the hooks of a request; `None` without hooks, or if no model is requested.
    fn request_hooks(&self) -> Option<RequestHooks> {
        let is_hooked = self.run.model.is_none() && !self.parts.hooks.is_empty();
        is_hooked.then(|| RequestHooks {
            hooks: self.parts.hooks.clone(),
            ctx: self.hook_context(),
            is_summary: self.is_summary,
            vetoes: Arc::clone(&self.vetoes),
            corrections: self.parts.corrections,
        })
    }

    /// Taints the conversation if one of the earlier calls can have returned text from outside.
    pub(crate) fn remind<'a>(&self, calls: impl Iterator<Item = &'a ToolCall>) {
        if is_tainted(self.tools.current().as_ref(), calls) {
            self.guard.taint();
        }
    }

    /// Marks the conversation as tainted.
    pub(crate) fn taint(&self) {
        self.guard.taint();
    }

    /// Returns whether the conversation contains text from outside.
    pub(crate) fn is_tainted(&self) -> bool {
        self.guard.is_tainted()
    }

    /// Starts a task whose input the machine waits for. If the task panics, the machine receives `otherwise`,
    /// so that it never waits in vain.
    fn start(&mut self, otherwise: Input, work: impl Future<Output = Input> + Send + 'static) -> AbortHandle {
        let inputs = self.inputs.clone();
        self.tasks.spawn(async move {
            let input = AssertUnwindSafe(work).catch_unwind().await.unwrap_or(otherwise);
            // Sending fails only after the end of the run.
            drop(inputs.send(Box::new(input)).await);
        })
    }

    /// Sends an input that is available immediately. A task sends it, because the machine is not receiving at
    /// this moment and the channel may be full.
    fn send_back(&mut self, input: Input) {
        let inputs = self.inputs.clone();
        self.tasks.spawn(async move { drop(inputs.send(Box::new(input)).await) });
    }
}

/// Adds up to a quarter to the wait, so that runs which failed at the same time do not retry at the same time
/// (RULES L9). The random part is drawn here because the machine is deterministic.
fn with_jitter(wait: Duration) -> Duration {
    let part = getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX));
    wait.saturating_add(wait.mul_f64(part / 4.0))
}
