//! The side effects of a run: requests to the model, tool calls, and questions to people. Every task that is
//! started here ends with the run.

mod calls;
mod context;
mod early;
mod hooks;
mod interrupted;
mod questions;
mod requests;
mod run_outcome;
mod speculative;
mod start;

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Duration;
use windlass_loop::{Command, Input, InterruptId};
use windlass_protocol::{CallId, Request, ToolProtocol, ToolResult};
use windlass_text_calls::SpokenHistory;
use windlass_tool::CancellationToken;

use self::early::EarlyChecks;
use self::requests::with_jitter;
use crate::agent_inner::AgentInner;
use crate::asking::{self, Asking, StreamingAnswer};
use crate::call_guard::CallGuard;
use crate::checkpointer::Gate;
use crate::options::Guidance;
use crate::outbox::Outbox;
use crate::own_run::OwnRun;
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
}
