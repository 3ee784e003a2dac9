//! Execution of one call of a step, and conversion of its result into the step's output.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep, sleep_until};
use windlass_agent::{Agent, AgentError, BatchReport, CallBatch, Event, Outcome, RunOptions, Wait};
use windlass_hitl::ApprovalOutcome;
use windlass_protocol::{CallId, ResultStatus, ToolCall, ToolResult};
use windlass_tool::CancellationToken;

use crate::machine::{End, Failure, RetryRule};
use crate::plan::OutputConversion;
use crate::work::Work;
use crate::{OutputForm, StepKey, WorkflowEvent, WorkflowOptions};

/// A call to make.
pub(crate) struct PlannedStep {
    pub(crate) key: StepKey,
    pub(crate) attempt: u32,
    pub(crate) delay_ms: u64,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) work: Work,
}

/// The result of making a call in this process.
pub(crate) enum StepOutcome {
    Ended(End),
    /// The run was cancelled. The call's own record holds its progress.
    Stopped,
}

impl End {
    /// Returns the failure of a call that was not made.
    pub(crate) fn refuse(message: String) -> Self {
        Self::Failed(Failure { message, output: Value::Null, again: RetryRule::MayNot })
    }
}

impl PlannedStep {
    pub(crate) async fn make(
        self,
        hands: &Agent,
        call: ToolCall,
        run: RunOptions,
        options: &WorkflowOptions,
    ) -> Result<StepOutcome, AgentError> {
        let stop = &options.cancellation;
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(StepOutcome::Stopped),
            () = sleep(Duration::from_millis(self.delay_ms)) => {}
        }
        let own = CancellationToken::new();
        let mut run = run.with_cancellation(own.clone()).with_shared_budget(options.shared_budget.clone());
        if let Some(outputs) = &options.outputs {
            run = run.with_outputs(outputs);
        }
        let hints = hands.hints(&self.work.tool).unwrap_or_default();
        let may_repeat = self.work.repeatable || hints.read_only || hints.idempotent;
        // On cancellation, a call that is repeatable or resumable can be abandoned immediately.
        let may_leave = may_repeat || hints.resumable;
        let id = call.id.clone();
        let mut batch = hands.execute_calls([call], run)?;
        let end = self.watch(&mut batch, (&own, may_leave), options).await?;
        let late = match end {
            WatchedCall::Left => return Ok(StepOutcome::Stopped),
            WatchedCall::Ended => false,
            WatchedCall::TookTooLong => true,
        };
        let report = batch.into_report()?;
        let is_stopped = matches!(report.outcome, Outcome::Stopped { .. }) && stop.is_cancelled();
        let is_ok = report.results.first().is_some_and(|result| result.status.is_ok());
        if is_stopped && !is_ok {
            return Ok(StepOutcome::Stopped);
        }
        if late && !is_ok {
            return Ok(StepOutcome::Ended(self.too_late(may_repeat)));
        }
        Ok(StepOutcome::Ended(self.read(&id, &report, may_repeat)))
    }

    /// Waits for the end of the call. On cancellation, abandons a call that has not started or can be
    /// resumed, and cancels any other call and waits for its result.
    async fn watch(
        &self,
        batch: &mut CallBatch,
        (own, may_leave): (&CancellationToken, bool),
        options: &WorkflowOptions,
    ) -> Result<WatchedCall, AgentError> {
        let mut deadline: Option<Instant> = None;
        let (mut has_begun, mut end) = (false, WatchedCall::Ended);
        loop {
            let event = tokio::select! {
                biased;
                () = options.cancellation.cancelled(), if !own.is_cancelled() => {
                    if !has_begun || may_leave {
                        return Ok(WatchedCall::Left);
                    }
                    own.cancel();
                    continue;
                }
                event = batch.next() => event,
                () = wait_until(deadline), if !own.is_cancelled() => {
                    end = WatchedCall::TookTooLong;
                    own.cancel();
                    continue;
                }
            };
            let Some(event) = event else { return Ok(end) };
            let event = event?;
            if let Event::CallRunning { .. } = &event {
                has_begun = true;
                // The timeout starts when the tool runs, so a human's time to approve does not count.
                deadline =
                    self.timeout_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms)));
            }
            options.tell(&WorkflowEvent::Call { step: self.key.clone(), event: Box::new(event) });
            options.ready().await;
        }
    }

    /// Returns the failure for a timeout. The call was stopped while running, so its effects are unknown
    /// unless it is repeatable.
    fn too_late(&self, may_repeat: bool) -> End {
        let message =
            format!("it took longer than {} ms and was stopped", self.timeout_ms.unwrap_or_default());
        let again = if may_repeat { RetryRule::May } else { RetryRule::Unknown };
        End::Failed(Failure { message, output: Value::Null, again })
    }

    fn read(&self, id: &CallId, report: &BatchReport, may_repeat: bool) -> End {
        if let Outcome::Suspended { waits } = &report.outcome {
            let waits: Vec<Wait> = waits.clone();
            return End::Suspended(waits);
        }
        let Some(result) = report.results.first() else {
            return End::refuse("the call has no result".to_owned());
        };
        if self.work.reading == OutputConversion::Approval {
            return approval(result, report.answers.get(id));
        }
        if result.status.is_ok() {
            return output(result, self.work.reading, may_repeat);
        }
        let again = match (result.status, may_repeat) {
            (ResultStatus::EffectsUnknown | ResultStatus::Cancelled, true) => RetryRule::Anew,
            (ResultStatus::EffectsUnknown | ResultStatus::Cancelled, false) => RetryRule::Unknown,
            (ResultStatus::NotStarted, _) | (ResultStatus::Error | ResultStatus::TimedOut, true) => {
                RetryRule::May
            }
            _ => RetryRule::MayNot,
        };
        End::Failed(Failure { message: result.display_text(), output: Value::String(words(result)), again })
    }
}

enum WatchedCall {
    Ended,
    TookTooLong,
    /// The call was abandoned; its record holds its progress.
    Left,
}

async fn wait_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Returns the text of a result without its status prefix.
fn words(result: &ToolResult) -> String {
    let text = result.display_text();
    match text.split_once("] ") {
        Some((_, words)) if !result.status.is_ok() => words.to_owned(),
        _ => text,
    }
}

/// Only a human's own answer counts as an approval. A policy that allows the call without asking does not.
fn approval(result: &ToolResult, answer: Option<&ApprovalOutcome>) -> End {
    match answer {
        Some(ApprovalOutcome::Answered(decision)) => {
            let output = json!({"approved": decision.approved, "comment": decision.reason});
            if decision.approved {
                return if result.status.is_ok() {
                    End::Done(output)
                } else {
                    End::refuse(result.display_text())
                };
            }
            let comment = decision.reason.as_deref().map(|words| format!(": {words}")).unwrap_or_default();
            let message = format!("the human did not agree{comment}");
            End::Failed(Failure { message, output, again: RetryRule::MayNot })
        }
        Some(_) => End::refuse(words(result)),
        None if result.status.is_ok() => {
            End::refuse("the approval was not requested: the policy has to ask here".to_owned())
        }
        None => End::refuse(result.display_text()),
    }
}

fn output(result: &ToolResult, reading: OutputConversion, may_repeat: bool) -> End {
    let text = result.display_text();
    if reading != OutputConversion::Output(OutputForm::Json) {
        return End::Done(Value::String(text));
    }
    if let Some(value) = json_in(&text) {
        return End::Done(value);
    }
    let again = if may_repeat { RetryRule::May } else { RetryRule::MayNot };
    let message = "the output is not JSON, and has no JSON between code fences".to_owned();
    End::Failed(Failure { message, output: Value::String(text), again })
}

/// Returns the JSON that the text consists of, or that of its last fenced block with valid JSON.
fn json_in(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    let blocks: Vec<&str> = text.split("```").collect();
    let inside = blocks.iter().skip(1).step_by(2);
    inside.rev().find_map(|block| {
        let body = block.strip_prefix("json").unwrap_or(block);
        serde_json::from_str(body.trim()).ok()
    })
}

#[cfg(test)]
mod tests;
