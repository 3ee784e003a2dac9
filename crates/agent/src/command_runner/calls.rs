//! The execution of calls: the decision, the question to the human, and the run.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::oneshot;
use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_loop::{CallDecision, Event, Input};
use windlass_protocol::{ResultStatus, ToolCall, ToolResult};
use windlass_tool::{Context, ToolError, describe_error};

use super::CommandRunner;
use super::run_outcome::RunOutcome;
use crate::call_guard::GuardedDecision;
use crate::checkpointer::NotPassed;

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
    pub(super) fn start_decision(&self, call: ToolCall) -> impl Future<Output = CallDecision> + use<> {
        let (guard, events) = (self.guard.clone(), self.events.clone());
        let redactor = self.parts.redactor.clone();
        let hooks = self.call_hooks();
        async move {
            let id = call.id.clone();
            let model_call = call.clone();
            let decided = tokio::task::spawn_blocking(move || guard.decide_call(&call)).await;
            let mut decided = decided.unwrap_or_else(|error| GuardedDecision::from_failure(&id, &error));
            if let Some(hooks) = hooks {
                decided = hooks.decide(&model_call, decided).await;
            }
            let GuardedDecision { decision, coerced } = decided;
            if let (Some(events), false) = (events, coerced.is_empty()) {
                let changes = coerced.iter().map(|change| redactor.redact(change).into_owned()).collect();
                events.send(Event::CallCoerced { call: id.clone(), changes }).await;
            }
            decision
        }
    }

    pub(super) fn ask(&mut self, request: ApprovalRequest) {
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

    pub(super) fn run(&mut self, call: ToolCall) {
        let id = call.id.clone();
        let ctx = self.context(&id);
        let registered = self.run.running_calls.add(id.clone(), ctx.cancellation().clone());
        let running = self.run_call(call, ctx);
        // The toolbox catches a tool that panics. After any other panic the tool may have run already.
        let text = "the call ended with an internal error, and its effects are not known";
        let otherwise = ToolResult::text(id.clone(), ResultStatus::EffectsUnknown, text)
            .with_advice("Check the current state.".to_owned());
        self.start(Input::Result(otherwise), async move {
            let outcome = running.await;
            drop(registered);
            match outcome {
                RunOutcome::Ended(result) => Input::Result(result),
                RunOutcome::Deferred => Input::Deferred(id),
                RunOutcome::Fatal(message) => Input::Fatal { call: id, message },
            }
        });
    }

    /// Returns the future that runs a call. The call must be decided before the future is polled.
    pub(super) fn run_call(&self, call: ToolCall, ctx: Context) -> impl Future<Output = RunOutcome> + use<> {
        let (guard, tools) = (self.guard.clone(), self.tools.clone());
        let (gate, events) = (self.gate.clone(), self.events.clone());
        let parts = Arc::clone(&self.parts);
        let hooks = self.call_hooks();
        async move {
            let (Some(checked), Some(toolbox)) = (guard.find_checked(&call), tools.current()) else {
                let text = "policy has not decided about this call";
                return RunOutcome::Ended(ToolResult::text(call.id, ResultStatus::Denied, text));
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
                return RunOutcome::Ended(ToolResult::text(call.id, status, text));
            }
            let still = async move {
                let lost =
                    ToolResult::text(call.id.clone(), ResultStatus::Error, "it could not be checked again");
                let look = tokio::task::spawn_blocking(move || guard.recheck(&call));
                look.await.unwrap_or_else(|_| Err(Box::new(lost)))
            };
            let ctx = ctx.with_path_gate(checked.path_gate(&parts.policy));
            match toolbox.run_rechecked(&checked, &ctx, still).await {
                Ok(result) => {
                    tools.follow(&checked, &result);
                    RunOutcome::Ended(match hooks {
                        Some(hooks) => hooks.end(checked.call, result).await,
                        None => result,
                    })
                }
                Err(ToolError::Deferred) => RunOutcome::Deferred,
                Err(error) => RunOutcome::Fatal(describe_error(&error)),
            }
        }
    }
}
