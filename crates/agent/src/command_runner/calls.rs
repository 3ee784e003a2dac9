//! The execution of calls: the decision, the run during or after the streaming answer, and the context of
//! each call.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use windlass_hitl::Verdict;
use windlass_loop::{CallDecision, Event, Input, SpeculativeOutcome};
use windlass_protocol::{CallId, PlannedFile, ReconcileOutcome, ResultStatus, ToolCall, ToolResult};
use windlass_tool::{Context, Progress, ToolError};

use super::CommandRunner;
use crate::CallingRun;
use crate::call_guard::GuardedDecision;
use crate::checkpointer::NotPassed;

/// The outcome of a run of a call.
enum Ran {
    Ended(ToolResult),
    /// The result arrives later from elsewhere.
    Deferred,
    /// An error that ends the whole run.
    Fatal(String),
}

impl CommandRunner {
    pub(super) fn decide(&mut self, call: ToolCall) {
        // A result would not help the model if only the program can be at fault.
        if let Err(misrouted) = self.guard.route(&call) {
            return self.send_back(Input::Fatal { call: call.id, message: misrouted.to_string() });
        }
        let id = call.id.clone();
        let text = "not run: the decision about it failed";
        let result = ToolResult::text(id.clone(), ResultStatus::Error, text);
        let decision = Box::new(CallDecision::Refused(result));
        let otherwise = Input::Decided { call: id.clone(), decision };
        let decision = self.start_decision(call);
        self.start(otherwise, async move { Input::Decided { call: id, decision: Box::new(decision.await) } });
    }

    /// Decides about a call on a blocking thread, because the inspection may wait for a disk.
    fn start_decision(&self, call: ToolCall) -> impl Future<Output = CallDecision> + use<> {
        let (guard, events) = (self.guard.clone(), self.events.clone());
        let redactor = self.parts.redactor.clone();
        async move {
            let id = call.id.clone();
            let decided = tokio::task::spawn_blocking(move || guard.decide_call(&call)).await;
            let GuardedDecision { decision, coerced } =
                decided.unwrap_or_else(|error| GuardedDecision::from_failure(&id, &error));
            if let (Some(events), false) = (events, coerced.is_empty()) {
                let changes = coerced.iter().map(|change| redactor.redact(change).into_owned()).collect();
                events.send(Event::CallCoerced { call: id.clone(), changes }).await;
            }
            decision
        }
    }

    /// Decides about a call whose answer still streams, and runs it if the policy allows it without a
    /// question.
    pub(super) fn run_ahead(&mut self, answer: u64, call: ToolCall) {
        if self.guard.route(&call).is_err() {
            let outcome = Box::new(SpeculativeOutcome::NotBegun);
            return self.send_back(Input::Speculative { answer, call: call.id, outcome });
        }
        let decision = self.start_decision(call.clone());
        let ctx = self.context(&call.id).with_cancellation(self.ahead.child_token());
        let running = self.running(call.clone(), ctx);
        // The call only reads, so it can be started again later.
        let outcome = Box::new(SpeculativeOutcome::NotBegun);
        let otherwise = Input::Speculative { answer, call: call.id.clone(), outcome };
        self.start(otherwise, async move {
            let id = call.id;
            let outcome = match decision.await {
                CallDecision::Decided { facts, decision, .. } if decision.verdict == Verdict::Allow => {
                    match running.await {
                        Ran::Ended(result) => SpeculativeOutcome::Ran { facts, decision, result },
                        // The machine runs the call again after it has recorded the answer.
                        Ran::Deferred => SpeculativeOutcome::NotBegun,
                        Ran::Fatal(message) => SpeculativeOutcome::Fatal { facts, decision, message },
                    }
                }
                other => SpeculativeOutcome::Decided(other),
            };
            Input::Speculative { answer, call: id, outcome: Box::new(outcome) }
        });
    }

    pub(super) fn run(&mut self, call: ToolCall) {
        let id = call.id.clone();
        let ctx = self.context(&id);
        let running = self.running(call, ctx);
        // The toolbox catches a tool that panics. After any other panic the tool may have run already.
        let text =
            "the call ended with an internal error, and its effects are not known; check the current state";
        let otherwise = ToolResult::text(id.clone(), ResultStatus::EffectsUnknown, text);
        self.start(Input::Result(otherwise), async move {
            match running.await {
                Ran::Ended(result) => Input::Result(result),
                Ran::Deferred => Input::Deferred(id),
                Ran::Fatal(message) => Input::Fatal { call: id, message },
            }
        });
    }

    /// Determines from the planned files whether an interrupted call took effect.
    pub(super) fn look_back(&mut self, call: ToolCall, planned: Vec<PlannedFile>) {
        let tools = self.tools.clone();
        let id = call.id.clone();
        let otherwise = Input::Reconciled { call: id.clone(), outcome: ReconcileOutcome::default() };
        self.start(otherwise, async move {
            let look = move || tools.current().map(|toolbox| toolbox.aftermath(&call, &planned));
            let aftermath = tokio::task::spawn_blocking(look).await.ok().flatten().unwrap_or_default();
            Input::Reconciled { call: id, outcome: aftermath }
        });
    }

    /// Returns the result of a deferred call if it has arrived.
    pub(super) fn collect(&mut self, call: ToolCall) {
        let input = match self.results.remove(&call.id) {
            Some(result) => Input::Result(result),
            None => Input::Deferred(call.id),
        };
        self.send_back(input);
    }

    /// Returns the future that runs a call. The call must be decided before the future is polled.
    fn running(&self, call: ToolCall, ctx: Context) -> impl Future<Output = Ran> + use<> {
        let (guard, tools) = (self.guard.clone(), self.tools.clone());
        let (gate, events) = (self.gate.clone(), self.events.clone());
        let parts = Arc::clone(&self.parts);
        async move {
            let (Some(checked), Some(toolbox)) = (guard.checked(&call), tools.current()) else {
                let text = "policy has not decided about this call";
                return Ran::Ended(ToolResult::text(call.id, ResultStatus::Denied, text));
            };
            let not_passed = match gate.pass(&checked.facts, events.as_ref(), ctx.cancellation()).await {
                Ok(()) => None,
                Err(NotPassed::Stopped) => {
                    Some((ResultStatus::Cancelled, "cancelled before it started; nothing was run".to_owned()))
                }
                Err(NotPassed::Failed(failed)) => {
                    let text = format!(
                        "not run, because the checkpoint of the files that it may change failed: \
                         {failed}"
                    );
                    Some((ResultStatus::NotStarted, text))
                }
            };
            if let Some((status, text)) = not_passed {
                return Ran::Ended(ToolResult::text(call.id, status, text));
            }
            let still = async move {
                let lost =
                    ToolResult::text(call.id.clone(), ResultStatus::Error, "it could not be checked again");
                let look = tokio::task::spawn_blocking(move || guard.recheck(&call));
                look.await.unwrap_or_else(|_| Err(Box::new(lost)))
            };
            let ctx = ctx.with_path_gate(checked.path_gate(&parts.policy));
            match toolbox.run_if(&checked, &ctx, still).await {
                Ok(result) => {
                    tools.follow(&checked, &result);
                    Ran::Ended(result)
                }
                Err(ToolError::Deferred) => Ran::Deferred,
                Err(error) => Ran::Fatal(fatal_text(&error)),
            }
        }
    }

    fn context(&self, call: &CallId) -> Context {
        let run = CallingRun {
            parts: Arc::clone(&self.parts),
            toolbox: self.tools.current(),
            id: self.run.id.clone(),
            shared_budget: self.run.shared_budget.clone(),
            ended: self.run.ended.clone(),
        };
        let mut ctx = Context::new(call.clone())
            .with_idempotency_key(format!("{}/{call}", self.run.id))
            .with_thing(run)
            .with_cancellation(self.calls.child_token())
            .with_redactor(self.parts.redactor.clone());
        if let Some(outputs) = &self.run.outputs {
            ctx = ctx.with_outputs(outputs);
        }
        if let Some(human) = &self.parts.human {
            ctx = ctx.with_human(human.clone());
        }
        let (call, inputs) = (call.clone(), self.inputs.clone());
        let Some(outbox) = self.events.clone() else {
            return ctx.with_progress(move |progress| {
                if let Progress::Started = progress {
                    send_started(&inputs, &call);
                }
            });
        };
        let (text, room) = (outbox.text_of(call.clone()), outbox.clone());
        ctx.with_progress(move |progress| match progress {
            Progress::Started => send_started(&inputs, &call),
            Progress::Output(words) | Progress::Note(words) => text.push_text(words),
            Progress::Agent { agents, event } => {
                outbox.push_event(Event::AgentEvent { call: call.clone(), agents, happened: event });
            }
            _ => {}
        })
        .with_backpressure(move || {
            let room = room.clone();
            Box::pin(async move { room.room().await })
        })
    }
}

/// Informs the machine that a call has started. If the queue is full, a task sends the input later.
fn send_started(inputs: &mpsc::Sender<Box<Input>>, call: &CallId) {
    if let Err(TrySendError::Full(input)) = inputs.try_send(Box::new(Input::Started(call.clone()))) {
        let inputs = inputs.clone();
        tokio::spawn(async move { drop(inputs.send(input).await) });
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
