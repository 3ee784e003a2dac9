//! The outside of a run: the model, the tools, the people. Everything started here ends with the run.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Verdict};
use windlass_loop::{Ahead, Effect, Event, Input, Judgement, StreamFailure};
use windlass_protocol::{CallId, Request, ResultStatus, ToolCall, ToolProtocol, ToolResult};
use windlass_tool::{Context, Progress, Question, ToolError};

use crate::agent::Parts;
use crate::asking::Asking;
use crate::early::EarlyChecks;
use crate::judging::{Judged, Judging, is_tainted};
use crate::tools::Tools;

/// How many chunks may wait for the machine, so that a fast model waits for a slow watcher.
const WAITING_CHUNKS: usize = 64;

/// The outside of a run.
pub(crate) struct Outside {
    parts: Arc<Parts>,
    tools: Arc<Tools>,
    inputs: mpsc::Sender<Input>,
    events: Option<mpsc::Sender<Event>>,
    outputs: Option<PathBuf>,
    /// Everything that was started. Dropping it stops all of it.
    tasks: JoinSet<()>,
    answer: Option<(mpsc::Receiver<Input>, AbortHandle)>,
    early: EarlyChecks,
    judging: Arc<Judging>,
    questions: HashMap<String, (CallId, AbortHandle)>,
    calls: CancellationToken,
    /// The calls that were begun while their answer streams, and which answer that is.
    ahead: CancellationToken,
}

impl Outside {
    pub(crate) fn new(
        parts: Arc<Parts>,
        tools: Arc<Tools>,
        inputs: mpsc::Sender<Input>,
        outputs: Option<PathBuf>,
    ) -> Self {
        let calls = CancellationToken::new();
        Self {
            ahead: calls.child_token(),
            calls,
            judging: Arc::new(Judging::new(parts.clone(), tools.clone())),
            parts,
            tools,
            inputs,
            events: None,
            outputs,
            tasks: JoinSet::new(),
            answer: None,
            early: EarlyChecks::default(),
            questions: HashMap::new(),
        }
    }

    pub(crate) fn watch(&mut self, events: mpsc::Sender<Event>) {
        self.events = Some(events);
    }

    pub(crate) fn perform(&mut self, effect: Effect) {
        // What has ended needs no keeping.
        while self.tasks.try_join_next().is_some() {}
        match effect {
            Effect::Send { request, protocol, delay_ms } => self.send(*request, protocol, delay_ms),
            Effect::CloseStream => self.close_stream(),
            Effect::CheckEarly { answer, key, tool, argument, value } => {
                if let Some(refusal) =
                    self.early.check((&self.parts, &self.tools), (answer, key), &tool, &argument, value)
                {
                    self.come_back(Input::RefusedEarly { answer, key, refusal });
                }
            }
            Effect::RunAhead { answer, call } => self.run_ahead(answer, call),
            Effect::AbandonAhead { .. } => {
                self.ahead.cancel();
                self.ahead = self.calls.child_token();
            }
            Effect::Decide(call) => self.judge(call),
            Effect::Ask(request) => self.ask(*request),
            Effect::Run(call) => self.run(call),
            Effect::Abort => self.calls.cancel(),
            Effect::Consult { question } => self.consult(question),
            // Recording, showing and the end are the driver's.
            _ => {}
        }
    }

    /// The next piece of the answer that streams; waits for ever if none does.
    pub(crate) async fn answer(&mut self) -> Option<Input> {
        let Some((pieces, _)) = &mut self.answer else { return std::future::pending().await };
        let piece = pieces.recv().await;
        if matches!(piece, None | Some(Input::StreamEnd(_))) {
            self.answer = None;
        }
        Some(piece.unwrap_or_else(|| {
            Input::StreamEnd(Err(StreamFailure::new("the connection ended before the answer did", true)))
        }))
    }

    fn send(&mut self, request: Request, protocol: ToolProtocol, delay_ms: u64) {
        self.close_stream();
        let (sender, receiver) = mpsc::channel(WAITING_CHUNKS);
        let asking = Asking::new(self.parts.model.clone(), self.parts.speech.of(protocol), request);
        let task = self.tasks.spawn(async move {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            let end = asking.forward(&sender).await;
            drop(sender.send(Input::StreamEnd(end)).await);
        });
        self.answer = Some((receiver, task));
    }

    fn close_stream(&mut self) {
        if let Some((_, task)) = self.answer.take() {
            task.abort();
        }
    }

    fn judge(&mut self, call: ToolCall) {
        // What only the program can have done wrong, no result helps against.
        if let Err(misrouted) = self.judging.route(&call) {
            return self.come_back(Input::Fatal { call: call.id, message: misrouted.to_string() });
        }
        let inputs = self.inputs.clone();
        let id = call.id.clone();
        let judging = self.judgement(call);
        self.tasks.spawn(async move {
            let judgement = Box::new(judging.await);
            drop(inputs.send(Input::Judged { call: id, judgement }).await);
        });
    }

    /// Looking at what a call meets may wait for a disk, so it has a thread of its own.
    fn judgement(&self, call: ToolCall) -> impl Future<Output = Judgement> + use<> {
        let (judging, events) = (self.judging.clone(), self.events.clone());
        let redactor = self.parts.redactor.clone();
        async move {
            let id = call.id.clone();
            let judged = tokio::task::spawn_blocking(move || judging.judge(&call)).await;
            let Judged { judgement, coerced } = judged.unwrap_or_else(|error| Judged::failed(&id, &error));
            if let (Some(events), false) = (events, coerced.is_empty()) {
                let changes = coerced.iter().map(|change| redactor.redact(change).into_owned()).collect();
                // For showing only; the question that follows has the call itself.
                drop(events.try_send(Event::CallCoerced { call: id.clone(), changes }));
            }
            judgement
        }
    }

    /// Judges a call whose answer still streams, and runs it if policy lets it without a question.
    fn run_ahead(&mut self, answer: u64, call: ToolCall) {
        if self.judging.route(&call).is_err() {
            let outcome = Box::new(Ahead::NotBegun);
            return self.come_back(Input::Ahead { answer, call: call.id, outcome });
        }
        let (judging, inputs) = (self.judgement(call.clone()), self.inputs.clone());
        let ctx = self.context(&call.id).with_cancellation(self.ahead.child_token());
        let running = self.running(call.clone(), ctx);
        self.tasks.spawn(async move {
            let id = call.id;
            let outcome = match judging.await {
                Judgement::Decided { facts, decision, .. } if decision.verdict == Verdict::Allow => {
                    match running.await {
                        Ok(result) => Ahead::Ran { facts, decision, result },
                        Err(message) => Ahead::Fatal { facts, decision, message },
                    }
                }
                other => Ahead::Judged(other),
            };
            drop(inputs.send(Input::Ahead { answer, call: id, outcome: Box::new(outcome) }).await);
        });
    }

    fn ask(&mut self, request: ApprovalRequest) {
        let (approver, inputs) = (self.parts.approver.clone(), self.inputs.clone());
        let (id, call) = (request.request_id.clone(), request.call.id.clone());
        let task = self.tasks.spawn(async move {
            // An approver that breaks down is one that is not there: its silence is no yes, and is not waited for.
            let asking = AssertUnwindSafe(async { approver.decide(&request).await }).catch_unwind();
            let outcome = match asking.await {
                Ok(Some(decision)) => ApprovalOutcome::Answered(decision),
                Ok(None) | Err(_) => ApprovalOutcome::NoApprover { request_id: request.request_id },
            };
            drop(inputs.send(Input::Approval(outcome)).await);
        });
        self.questions.insert(id, (call, task));
    }

    /// Remembers an answer for the session if it says so, or tells why it is not remembered (RULES H9).
    pub(crate) fn remember(&mut self, outcome: &ApprovalOutcome) -> Option<String> {
        let (call, task) = self.questions.remove(outcome.request_id())?;
        task.abort();
        self.judging.remember(&call, outcome)
    }

    /// A question has ended. One that nobody answered is taken back, and counts as asked.
    pub(crate) fn ended(&mut self, outcome: &ApprovalOutcome) {
        if let Some((call, task)) = self.questions.remove(outcome.request_id()) {
            task.abort();
            self.judging.hear(&call, outcome);
        }
    }

    /// The calls that a run had made before it was resumed.
    pub(crate) fn remind<'a>(&self, calls: impl Iterator<Item = &'a ToolCall>) {
        if is_tainted(self.tools.current().as_ref(), calls) {
            self.judging.taint();
        }
    }

    fn run(&mut self, call: ToolCall) {
        let (id, inputs) = (call.id.clone(), self.inputs.clone());
        let ctx = self.context(&id);
        let running = self.running(call, ctx);
        self.tasks.spawn(async move {
            let input = match running.await {
                Ok(result) => Input::Result(result),
                Err(message) => Input::Fatal { call: id, message },
            };
            drop(inputs.send(input).await);
        });
    }

    /// The run of a call that was judged by the time this is waited for. Its error ends the run.
    fn running(
        &self,
        call: ToolCall,
        ctx: Context,
    ) -> impl Future<Output = Result<ToolResult, String>> + use<> {
        let (judging, tools) = (self.judging.clone(), self.tools.clone());
        async move {
            let (Some(checked), Some(toolbox)) = (judging.take(&call), tools.current()) else {
                return Ok(ToolResult::text(call.id, ResultStatus::Denied, "nobody has judged this call"));
            };
            let still = async move {
                let lost =
                    ToolResult::text(call.id.clone(), ResultStatus::Error, "it could not be looked at again");
                let look = tokio::task::spawn_blocking(move || judging.still_stands(&call));
                look.await.unwrap_or_else(|_| Err(Box::new(lost)))
            };
            let result = toolbox.run_if(&checked, &ctx, still).await.map_err(|error| fatal_text(&error))?;
            tools.follow(&checked, &result);
            Ok(result)
        }
    }

    fn context(&self, call: &CallId) -> Context {
        let mut ctx = Context::new(call.clone())
            .with_cancellation(self.calls.child_token())
            .with_redactor(self.parts.redactor.clone());
        if let Some(outputs) = &self.outputs {
            ctx = ctx.with_outputs(outputs);
        }
        if let Some(human) = &self.parts.human {
            ctx = ctx.with_human(human.clone());
        }
        let (call, inputs, events) = (call.clone(), self.inputs.clone(), self.events.clone());
        ctx.with_progress(move |progress| {
            // Progress is for showing: when nobody keeps up, some of it is left out.
            let event = match progress {
                Progress::Started => return drop(inputs.try_send(Input::Started(call.clone()))),
                Progress::Output(text) | Progress::Note(text) => {
                    Event::CallProgress { call: call.clone(), text }
                }
                _ => return,
            };
            if let Some(events) = &events {
                drop(events.try_send(event));
            }
        })
    }

    fn consult(&mut self, text: String) {
        let (human, inputs) = (self.parts.human.clone(), self.inputs.clone());
        self.tasks.spawn(async move {
            let guidance = match human {
                Some(human) => human.answer(&Question::new(text, Vec::new())).await.ok(),
                None => None,
            };
            drop(inputs.send(Input::Guidance(guidance)).await);
        });
    }

    /// Brings an input back that is there at once. The machine is not waiting in this moment, so it goes
    /// through a task and not through a full channel.
    fn come_back(&mut self, input: Input) {
        let inputs = self.inputs.clone();
        self.tasks.spawn(async move { drop(inputs.send(input).await) });
    }
}

fn fatal_text(error: &ToolError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
