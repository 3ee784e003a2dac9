//! The steps that run, as activities of the engine.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use temporalio_common::RetryPolicy;
use temporalio_common::error::IncomingError;
use temporalio_sdk::{
    ActivityCancellationType, ActivityExecutionError, ActivityOptions, TimerOptions, TimerResult,
    WorkflowCancellationToken, WorkflowContext, WorkflowResult,
};
use windlass_loop::StepClass;

use crate::RunSettings;
use crate::activities::{NOT_STARTED, StepActivities};
use crate::data::{BeginStep, CallOutput, CallStep, SendStep};
use crate::run_state::{ScheduledStep, StepEnd, Work};
use crate::version::Definition;

/// The longest delay between two attempts at a step.
const LONGEST_RETRY: Duration = Duration::from_mins(1);

/// The longest pause of a pinned run that waits for a worker with its tools. Each attempt adds about ten events to its
/// history, of which the server keeps 51,200.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// The steps that run, in the order in which they started.
#[derive(Default)]
pub(super) struct RunningSteps {
    list: Vec<RunningStep>,
}

struct RunningStep {
    step: ScheduledStep,
    token: WorkflowCancellationToken,
    future: Pin<Box<dyn Future<Output = StepEnd>>>,
    /// True if nothing waits for the result.
    is_dropped: bool,
}

impl RunningSteps {
    /// Returns the number of steps whose results the machine waits for.
    pub(super) fn len(&self) -> usize {
        self.list.iter().filter(|running| !running.is_dropped).count()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starts the activity of a step.
    pub(super) fn start<W: 'static>(
        &mut self,
        ctx: &WorkflowContext<W>,
        settings: &RunSettings,
        step: ScheduledStep,
    ) {
        let token = WorkflowCancellationToken::new();
        let future = Box::pin(execute(ctx.clone(), settings.clone(), step.clone(), token.clone()));
        self.list.push(RunningStep { step, token, future, is_dropped: false });
    }

    /// Returns the first step in start order that has ended.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(usize, StepEnd)> {
        for (index, running) in self.list.iter_mut().enumerate() {
            if let Poll::Ready(end) = running.future.as_mut().poll(cx) {
                return Poll::Ready((index, end));
            }
        }
        Poll::Pending
    }

    /// Removes a step that has ended. Returns `None` if nothing waits for its result.
    pub(super) fn remove(&mut self, index: usize) -> Option<ScheduledStep> {
        let running = self.list.remove(index);
        (!running.is_dropped).then_some(running.step)
    }

    /// Stops a step whose result is not needed.
    pub(super) fn drop_step(&mut self, number: u64) {
        for running in self.list.iter_mut().filter(|running| running.step.number == number) {
            running.is_dropped = true;
            running.token.cancel();
        }
    }

    /// Stops the running calls in order; their results still arrive.
    pub(super) fn stop_calls(&self) {
        for running in self.list.iter().filter(|running| matches!(running.step.work, Work::Run(_))) {
            running.token.cancel();
        }
    }
}

/// The engine's timer for the next deadline of the machine.
pub(super) struct Deadline {
    at_ms: u64,
    token: WorkflowCancellationToken,
    future: Pin<Box<dyn Future<Output = TimerResult>>>,
}

impl Deadline {
    /// Replaces the timer if the deadline has changed.
    pub(super) fn update<W: 'static>(
        timer: &mut Option<Self>,
        ctx: &WorkflowContext<W>,
        at_ms: Option<u64>,
        now_ms: u64,
    ) {
        if timer.as_ref().map(|timer| timer.at_ms) == at_ms {
            return;
        }
        if let Some(old) = timer.take() {
            old.token.cancel();
        }
        *timer = at_ms.map(|at_ms| {
            let token = WorkflowCancellationToken::new();
            let delay = Duration::from_millis(at_ms.saturating_sub(now_ms).max(1));
            let options = TimerOptions::builder(delay).cancellation_token(token.clone()).build();
            let ctx = ctx.clone();
            Self { at_ms, token, future: Box::pin(async move { ctx.timer(options).await }) }
        });
    }
}

impl Future for Deadline {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.future.as_mut().poll(cx).map(|_| ())
    }
}

/// Executes the step that begins a run and returns its definition, the first record of the run.
pub(super) async fn begin<W>(ctx: &WorkflowContext<W>, settings: &RunSettings) -> WorkflowResult<Definition> {
    let options = to_options(settings, StepClass::Pure, settings.timeouts.decision, None, None);
    let step = BeginStep { run: ctx.workflow_id().to_owned() };
    Ok(ctx.execute_activity(StepActivities::begin, step, options).await?.definition)
}

async fn execute<W>(
    ctx: WorkflowContext<W>,
    settings: RunSettings,
    step: ScheduledStep,
    token: WorkflowCancellationToken,
) -> StepEnd {
    let timeouts = settings.timeouts;
    match step.work {
        Work::Send { step: send, delay_ms } => send_request(&ctx, &settings, *send, delay_ms, token).await,
        Work::Decide(call) => {
            let options = to_options(&settings, step.class, timeouts.decision, None, Some(token));
            let mut pause = WorkerPause::new(&settings);
            loop {
                let end =
                    ctx.execute_activity(StepActivities::decide, (*call).clone(), options.clone()).await;
                if let Some(end) = to_call_end(&ctx, &mut pause, end).await {
                    return end;
                }
            }
        }
        Work::Run(call) => run_call(&ctx, &settings, *call, step.class, token).await,
        Work::Reconcile(call) => {
            let options = to_options(&settings, step.class, timeouts.decision, None, Some(token));
            let mut pause = WorkerPause::new(&settings);
            loop {
                let end =
                    ctx.execute_activity(StepActivities::reconcile, (*call).clone(), options.clone()).await;
                if let Some(end) = to_call_end(&ctx, &mut pause, end).await {
                    return end;
                }
            }
        }
    }
}

async fn send_request<W>(
    ctx: &WorkflowContext<W>,
    settings: &RunSettings,
    send: SendStep,
    delay_ms: u64,
    token: WorkflowCancellationToken,
) -> StepEnd {
    if delay_ms > 0 {
        let delay = Duration::from_millis(delay_ms);
        ctx.timer(TimerOptions::builder(delay).cancellation_token(token.clone()).build()).await;
    }
    let queue = settings.model_queue.clone();
    let options = to_options(settings, StepClass::Pure, settings.timeouts.model, queue, Some(token));
    match ctx.execute_activity(StepActivities::send, send, options).await {
        Ok(output) => StepEnd::Sent(Box::new(output)),
        Err(error) => to_failed_end(&error),
    }
}

async fn run_call<W>(
    ctx: &WorkflowContext<W>,
    settings: &RunSettings,
    call: CallStep,
    class: StepClass,
    token: WorkflowCancellationToken,
) -> StepEnd {
    let options = to_options(settings, class, settings.timeouts.call, None, Some(token));
    let mut pause = WorkerPause::new(settings);
    loop {
        let end = ctx.execute_activity(StepActivities::run, call.clone(), options.clone()).await;
        if let Some(end) = to_call_end(ctx, &mut pause, end).await {
            return end;
        }
    }
}

/// The pause before a step of a pinned run is offered again, because a worker with other tools took it.
struct WorkerPause(Duration);

impl WorkerPause {
    fn new(settings: &RunSettings) -> Self {
        Self(settings.timeouts.first_retry)
    }

    /// Returns the pause, and doubles the next one up to a limit.
    fn advance(&mut self) -> Duration {
        let pause = self.0;
        self.0 = pause.saturating_mul(2).min(LONGEST_PAUSE);
        pause
    }
}

/// Returns the end of a step about a call; `None` after a delay if another worker must execute it.
async fn to_call_end<W>(
    ctx: &WorkflowContext<W>,
    pause: &mut WorkerPause,
    end: Result<CallOutput, ActivityExecutionError>,
) -> Option<StepEnd> {
    match end {
        Ok(CallOutput::Done(done)) => Some(StepEnd::Called(done)),
        Ok(CallOutput::OtherTools) => {
            ctx.timer(pause.advance()).await;
            None
        }
        Err(error) => Some(to_failed_end(&error)),
    }
}

/// Returns the end of a step whose activity failed. Only an activity that says so had no effect.
fn to_failed_end(error: &ActivityExecutionError) -> StepEnd {
    let text = crate::error::describe(error);
    let had_no_effect = match error {
        ActivityExecutionError::Failed(failure) => matches!(
            failure.cause(),
            Some(IncomingError::Application(cause)) if cause.type_name() == Some(NOT_STARTED)
        ),
        ActivityExecutionError::Cancelled(_) => return StepEnd::Cancelled,
        _ => false,
    };
    if had_no_effect { StepEnd::Failed(text) } else { StepEnd::Lost(text) }
}

/// Returns the options of a step: its class is its retry policy.
fn to_options(
    settings: &RunSettings,
    class: StepClass,
    longest: Duration,
    queue: Option<String>,
    token: Option<WorkflowCancellationToken>,
) -> ActivityOptions {
    let attempts = match class {
        StepClass::Pure | StepClass::Idempotent => 0,
        StepClass::Once => 1,
    };
    let retries = RetryPolicy::builder()
        .initial_interval(settings.timeouts.first_retry)
        .maximum_interval(LONGEST_RETRY)
        .maximum_attempts(attempts)
        .build();
    ActivityOptions::with_start_to_close_timeout(longest)
        .heartbeat_timeout(settings.timeouts.heartbeat)
        .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
        .retry_policy(retries)
        .maybe_task_queue(queue)
        .maybe_cancellation_token(token)
        // A worker with other tools would execute the steps of a pinned run eagerly again and again.
        .do_not_eagerly_execute(settings.pins_tools)
        .build()
}
