//! The side effects of a run: requests to the model, tool calls, and questions to people. Every task that is
//! started here ends with the run.

mod calls;

use std::collections::HashMap;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Duration;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_loop::{Command, Input, InterruptId, StreamFailure};
use windlass_protocol::{CallId, Request, ToolCall, ToolProtocol, ToolResult};
use windlass_stream::Model;
use windlass_text_calls::SpokenHistory;
use windlass_tool::{CancellationToken, Question};

use crate::SharedBudget;
use crate::agent_inner::AgentInner;
use crate::asking::Asking;
use crate::call_guard::{CallGuard, is_tainted};
use crate::checkpointer::Gate;
use crate::early::EarlyChecks;
use crate::options::{Guidance, ResumeInputs};
use crate::outbox::Outbox;
use crate::session::Session;
use crate::tools::Tools;

/// Batches of the answer that may be queued for the machine; a full queue delays the model.
const WAITING_PIECES: usize = 2;

/// The executor of the machine's effects, whose results return to the machine as inputs.
pub(crate) struct CommandRunner {
    parts: Arc<AgentInner>,
    tools: Arc<Tools>,
    inputs: mpsc::Sender<Box<Input>>,
    events: Option<Outbox>,
    run: OwnRun,
    /// All started tasks. Dropping the set aborts them.
    tasks: JoinSet<()>,
    answer: Option<Answering>,
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
    spoken: SpokenHistory,
}

/// The properties of this run that tools see in the context of a call, and its own model.
pub(crate) struct OwnRun {
    pub(crate) id: String,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) shared_budget: SharedBudget,
    pub(crate) ended: CancellationToken,
    /// The model that replaces the agent's model.
    pub(crate) model: Option<Arc<dyn Model>>,
}

/// An answer that streams.
struct Answering {
    pieces: mpsc::Receiver<Vec<Input>>,
    /// The inputs of the last batch that are not returned yet.
    ready: std::vec::IntoIter<Input>,
    task: AbortHandle,
}

impl CommandRunner {
    pub(crate) fn new(
        parts: Arc<AgentInner>,
        tools: Arc<Tools>,
        inputs: mpsc::Sender<Box<Input>>,
        run: OwnRun,
        (resume_inputs, session): (ResumeInputs, Session),
        gate: Arc<Gate>,
    ) -> Self {
        let calls = CancellationToken::new();
        Self {
            ahead: calls.child_token(),
            calls,
            guard: Arc::new(CallGuard::new(parts.clone(), tools.clone(), session)),
            parts,
            tools,
            inputs,
            events: None,
            run,
            tasks: JoinSet::new(),
            answer: None,
            early: EarlyChecks::default(),
            questions: HashMap::new(),
            newest_question: None,
            results: resume_inputs.results.into_iter().map(|result| (result.call.clone(), result)).collect(),
            guidance: resume_inputs.guidance,
            consulting: None,
            gate,
            spoken: SpokenHistory::default(),
        }
    }

    pub(crate) fn watch(&mut self, events: Outbox) {
        self.events = Some(events);
    }

    pub(crate) fn perform(&mut self, effect: Command) {
        // Remove finished tasks from the set.
        while self.tasks.try_join_next().is_some() {}
        match effect {
            Command::Send { request, protocol, delay_ms } => self.send(*request, protocol, delay_ms),
            Command::CloseStream => self.close_stream(),
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

    /// Returns the next input from the streaming answer. Waits forever if no answer streams.
    pub(crate) async fn answer(&mut self) -> Option<Input> {
        let Some(answering) = &mut self.answer else { return std::future::pending().await };
        if answering.ready.len() == 0 {
            answering.ready = answering.pieces.recv().await.unwrap_or_default().into_iter();
        }
        let input = answering.ready.next();
        if matches!(input, None | Some(Input::StreamEnd(_))) {
            self.answer = None;
        }
        Some(input.unwrap_or_else(|| {
            Input::StreamEnd(Err(StreamFailure::new("the connection ended before the answer did", true)))
        }))
    }

    fn send(&mut self, request: Request, protocol: ToolProtocol, delay_ms: u64) {
        self.close_stream();
        // The run continues without the question that this answer is for; the machine reports that the answer
        // is refused.
        if let Some(Guidance { id, words }) = self.guidance.take() {
            self.send_back(Input::InterruptReply { id: id.unwrap_or_default(), words: Some(words) });
        }
        let (sender, pieces) = mpsc::channel(WAITING_PIECES);
        let asking = Asking::new(
            self.run.model.as_ref().unwrap_or(&self.parts.model).clone(),
            self.parts.speech.for_protocol(protocol),
            request,
            &mut self.spoken,
        );
        let task = self.tasks.spawn(async move {
            tokio::time::sleep(with_jitter(Duration::from_millis(delay_ms))).await;
            let end = asking.forward(&sender).await;
            drop(sender.send(vec![Input::StreamEnd(end)]).await);
        });
        self.answer = Some(Answering { pieces, ready: Vec::new().into_iter(), task });
    }

    fn close_stream(&mut self) {
        if let Some(answering) = self.answer.take() {
            answering.task.abort();
        }
    }

    fn ask(&mut self, request: ApprovalRequest) {
        let approver = self.parts.approver.clone();
        let (id, call) = (request.request_id.clone(), request.call.id.clone());
        // An approver that panics counts as absent: the call is denied, and the run does not wait.
        let nobody = ApprovalOutcome::NoApprover { request_id: id.clone() };
        let otherwise = nobody.clone();
        // The runtime polls tasks in any order, but the approver must see the questions in the order of their
        // calls. So each task waits until the question before it was passed on. Dropping the sender ends that
        // wait, also if the task is aborted or panics.
        let (put, is_put) = oneshot::channel();
        let before = self.newest_question.replace(is_put);
        let task = self.start(Input::Approval(otherwise), async move {
            if let Some(before) = before {
                drop(before.await);
            }
            let mut answer = approver.decide(&request);
            let begun = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
            drop(put);
            let answer = match begun {
                Poll::Ready(answer) => answer,
                Poll::Pending => answer.await,
            };
            Input::Approval(answer.map_or(nobody, ApprovalOutcome::Answered))
        });
        self.questions.insert(id, (call, task));
    }

    /// Adds the approval to the session's grants if it asks for that. Returns the reason if it cannot be
    /// added (RULES H9).
    pub(crate) fn remember(&mut self, outcome: &ApprovalOutcome) -> Option<String> {
        let (call, task) = self.questions.remove(outcome.request_id())?;
        task.abort();
        self.guard.remember(&call, outcome)
    }

    /// Aborts the question if it is still open, for example after a timeout. A timeout counts as
    /// unanswered for the learned approvals.
    pub(crate) fn end_question(&mut self, outcome: &ApprovalOutcome) {
        if let Some((call, task)) = self.questions.remove(outcome.request_id()) {
            task.abort();
            self.guard.hear(&call, outcome);
        }
    }

    /// Taints the conversation if one of the earlier calls can have returned text from outside.
    pub(crate) fn remind<'a>(&self, calls: impl Iterator<Item = &'a ToolCall>) {
        if is_tainted(self.tools.current().as_ref(), calls) {
            self.guard.taint();
        }
    }

    fn consult(&mut self, id: InterruptId, text: String) {
        if let Some(Guidance { words, .. }) = self.guidance.take_if(|left| left.id == Some(id)) {
            return self.send_back(Input::InterruptReply { id, words: Some(words) });
        }
        let human = self.parts.human.clone();
        // A human that panics counts as absent.
        let task = self.start(Input::InterruptReply { id, words: None }, async move {
            let words = match human {
                Some(human) => human.answer(&Question::new(text, Vec::new())).await.ok(),
                None => None,
            };
            Input::InterruptReply { id, words }
        });
        self.consulting = Some((id, task));
    }

    fn withdraw(&mut self, id: InterruptId) {
        if let Some((_, question)) = self.consulting.take_if(|(open, _)| *open == id) {
            question.abort();
        }
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
