//! The loop of the workflow: it starts the steps of the machine and waits for their ends, for letters, for
//! deadlines and for the cancellation of the workflow.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::{Duration, UNIX_EPOCH};

use futures_util::FutureExt;
use temporalio_sdk::{
    ApplicationFailure, ContinueAsNewOptions, WaitConditionOptions, WorkflowCancellationToken,
    WorkflowContext, WorkflowResult, WorkflowTermination,
};

use super::AgentRun;
use super::running::{Deadline, RunningSteps, begin};
use crate::data::Letter;
use crate::run_state::{StepChange, StepEnd};
use crate::search::SearchState;
use crate::{RunReport, RunSettings};

/// The next thing that the workflow reacts to.
enum Wakeup {
    /// The engine cancels the workflow.
    Cancelled,
    /// A letter has arrived.
    Letter,
    /// A deadline of the machine has passed.
    Deadline,
    /// A step has ended.
    Step(usize, StepEnd),
}

/// Runs the workflow to its end.
pub(super) async fn drive(ctx: &WorkflowContext<AgentRun>) -> WorkflowResult<RunReport> {
    let settings = ctx.state(|run| run.state.settings().clone());
    start_machine(ctx, &settings).await?;
    let mut running = RunningSteps::default();
    let mut search = SearchState::default();
    let mut is_cancelled = false;
    let mut deadline = None;
    loop {
        apply_changes(ctx, &mut running);
        if running.is_empty() && ctx.state(|run| run.state.needs_resume()) {
            resume(ctx)?;
            continue;
        }
        let is_suggested = ctx.continue_as_new_suggested();
        if running.is_empty() && ctx.state(|run| run.state.can_continue_as_new(is_suggested)) {
            continue_as_new(ctx)?;
        }
        for step in ctx.state_mut(|run| run.state.take_steps()) {
            running.start(ctx, &settings, step);
        }
        let (report, count) = (ctx.state(|run| run.state.report()), running.len());
        ctx.state_mut(|run| run.running = count);
        let waits = ctx.state(|run| run.state.waits(run.running));
        search.update(ctx, &settings, &waits, report.is_some());
        if let Some(report) = report {
            return Ok(report);
        }
        Deadline::update(&mut deadline, ctx, ctx.state(|run| run.state.next_deadline()), now_ms(ctx));
        let wakeup = next_wakeup(ctx, &mut running, &mut deadline, is_cancelled).await;
        let now_ms = now_ms(ctx);
        match wakeup {
            Wakeup::Cancelled => {
                is_cancelled = true;
                ctx.state_mut(|run| run.state.push_letter(Letter::Stop));
            }
            Wakeup::Letter => {
                let read = ctx.state_mut(|run| run.state.read_letters(now_ms));
                read.map_err(|error| fail(&error))?;
            }
            Wakeup::Deadline => {
                deadline = None;
                ctx.state_mut(|run| run.state.tick(now_ms));
            }
            Wakeup::Step(index, end) => {
                if let Some(step) = running.remove(index) {
                    ctx.state_mut(|run| run.state.end_step(&step, end, now_ms));
                }
            }
        }
    }
}

/// Begins the run, or continues it in a workflow that continued as new.
async fn start_machine(ctx: &WorkflowContext<AgentRun>, settings: &RunSettings) -> WorkflowResult<()> {
    let carried = ctx.state(|run| run.state.definition().cloned());
    let is_carried = carried.is_some();
    let definition = match carried {
        Some(definition) => definition,
        None => begin(ctx, settings).await?,
    };
    if let Some(conflict) = definition.find_conflict() {
        // The task fails and not the workflow: another worker can continue it.
        ctx.force_task_fail(conflict);
        pending::<()>().await;
    }
    if is_carried {
        return resume(ctx);
    }
    let now_ms = now_ms(ctx);
    ctx.state_mut(|run| run.state.begin(definition, now_ms));
    Ok(())
}

fn resume(ctx: &WorkflowContext<AgentRun>) -> WorkflowResult<()> {
    let now_ms = now_ms(ctx);
    ctx.state_mut(|run| run.state.resume(now_ms)).map_err(|error| fail(&error))
}

fn continue_as_new(ctx: &WorkflowContext<AgentRun>) -> WorkflowResult<()> {
    if let Some(input) = ctx.state(|run| run.state.to_carried_input()) {
        ctx.continue_as_new(input, ContinueAsNewOptions::default())?;
    }
    Ok(())
}

fn apply_changes(ctx: &WorkflowContext<AgentRun>, running: &mut RunningSteps) {
    for change in ctx.state_mut(|run| run.state.take_changes()) {
        match change {
            StepChange::Drop(number) => running.drop_step(number),
            StepChange::StopCalls => running.stop_calls(),
        }
    }
}

/// Waits for the next thing. Polls in a fixed order, so that a replay takes the same decisions.
async fn next_wakeup(
    ctx: &WorkflowContext<AgentRun>,
    running: &mut RunningSteps,
    deadline: &mut Option<Deadline>,
    is_cancelled: bool,
) -> Wakeup {
    // The wait for letters continues after the cancellation of the workflow.
    let detached =
        WaitConditionOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build();
    let mut letter = pin!(ctx.wait_condition_with_options(|run| run.state.has_letter(), detached));
    let mut cancelled = pin!(ctx.cancelled());
    poll_fn(|cx: &mut Context<'_>| {
        if !is_cancelled && cancelled.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Wakeup::Cancelled);
        }
        if let Poll::Ready((index, end)) = running.poll_next(cx) {
            return Poll::Ready(Wakeup::Step(index, end));
        }
        if letter.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Wakeup::Letter);
        }
        if let Some(deadline) = deadline
            && deadline.poll_unpin(cx).is_ready()
        {
            return Poll::Ready(Wakeup::Deadline);
        }
        Poll::Pending
    })
    .await
}

/// Returns the engine's time in milliseconds. It is part of the history, so that a replay reads the same time.
fn now_ms(ctx: &WorkflowContext<AgentRun>) -> u64 {
    let since = ctx.workflow_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    u64::try_from(since.unwrap_or(Duration::ZERO).as_millis()).unwrap_or(u64::MAX)
}

fn fail(error: &dyn std::error::Error) -> WorkflowTermination {
    let message = crate::error::describe(error);
    WorkflowTermination::failed_application(ApplicationFailure::non_retryable(message))
}
