//! The activities: the work of a run, executed by an agent's model and tools.

use std::path::PathBuf;
use std::sync::Arc;

use temporalio_common::data_converters::PayloadConversionError;
use temporalio_macros::activities;
use temporalio_sdk::ApplicationFailure;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use windlass_agent::{Agent, AgentError, StepOptions, StepRunner};
use windlass_loop::{Config, Event, Input, Offer, StepKind};
use windlass_stream::Chunk;
use windlass_tool::CancellationToken;

use crate::codec::RunCodec;
use crate::conversation;
use crate::data::{
    BeginOutput, BeginStep, CallDone, CallOutput, CallStep, RunScope, SendOutput, SendStep, StepId,
};
use crate::feed::{FeedItem, FeedSink};
use crate::heartbeat::{SharedProgress, beat_during};
use crate::observer::{ObservedStep, StepObserver};
use crate::version::{Definition, tools_digest};
use crate::{ContentError, ContentStore};

/// The type of failures of steps that had no effect.
pub(crate) const NOT_STARTED: &str = "windlass.not_started";

/// The activity of requests to the model, for workers that do nothing else.
pub(crate) type SendActivity = step_activities::Send;

/// The executor of steps in a worker.
pub(crate) struct StepActivities {
    pub(crate) agent: Agent,
    pub(crate) content: Arc<dyn ContentStore>,
    pub(crate) codec: RunCodec,
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) feed: Option<FeedSink>,
    pub(crate) observer: Option<StepObserver>,
}

#[activities]
impl StepActivities {
    /// Begins a run: returns its configuration, which becomes the first record of the history.
    #[activity(name = "windlass.begin")]
    #[expect(clippy::unused_async, reason = "all activities of a worker have the same form")]
    pub(crate) async fn begin(
        self: Arc<Self>,
        ctx: ActivityContext,
        step: BeginStep,
    ) -> Result<BeginOutput, ActivityError> {
        let observed = self.observe(&ctx, &step.run, StepKind::Begin);
        let config = self.agent.run_config(&step.run, None).map_err(|error| not_started(&error));
        observed.end(config.map(|config| BeginOutput { definition: Definition::new(config) }))
    }

    /// Sends a request to the model. It can be repeated, because an answer counts only after it has been
    /// recorded.
    #[activity(name = "windlass.send")]
    pub(crate) async fn send(
        self: Arc<Self>,
        ctx: ActivityContext,
        step: SendStep,
    ) -> Result<SendOutput, ActivityError> {
        let observed = self.observe(&ctx, &step.id.run, StepKind::Model);
        let progress = SharedProgress::default();
        let work = self.send_request(step, ctx.info().attempt, &progress);
        let sent = tokio::select! {
            sent = beat_during(&ctx, &progress, work) => sent,
            () = ctx.cancelled() => Err(ActivityError::cancelled()),
        };
        observed.end(sent)
    }

    /// Decides about a call.
    #[activity(name = "windlass.decide")]
    pub(crate) async fn decide(
        self: Arc<Self>,
        ctx: ActivityContext,
        step: CallStep,
    ) -> Result<CallOutput, ActivityError> {
        let observed = self.observe(&ctx, &step.id.run, StepKind::Decide);
        observed.end(self.decide_call(&ctx, step).await)
    }

    /// Runs a call.
    #[activity(name = "windlass.run")]
    pub(crate) async fn run(
        self: Arc<Self>,
        ctx: ActivityContext,
        step: CallStep,
    ) -> Result<CallOutput, ActivityError> {
        let observed = self.observe(&ctx, &step.id.run, StepKind::Tool);
        observed.end(self.run_call(&ctx, step).await)
    }

    /// Compares the files with the plan of an interrupted call.
    #[activity(name = "windlass.reconcile")]
    pub(crate) async fn reconcile(
        self: Arc<Self>,
        ctx: ActivityContext,
        step: CallStep,
    ) -> Result<CallOutput, ActivityError> {
        let observed = self.observe(&ctx, &step.id.run, StepKind::Reconcile);
        observed.end(self.reconcile_call(&ctx, step).await)
    }
}

impl StepActivities {
    async fn send_request(
        &self,
        step: SendStep,
        attempt: u32,
        progress: &SharedProgress,
    ) -> Result<SendOutput, ActivityError> {
        let (content, codec) = (&*self.content, &self.codec);
        let extended = conversation::extend(content, codec, step.base, step.messages).await;
        let (stored, messages) = extended.map_err(|error| no_conversation(&error))?;
        let mut request = *step.request;
        request.messages = messages;
        let options = StepOptions::new(&step.id.run);
        let runner = self.agent.step_runner(options).map_err(|error| not_started(&error))?;
        let (id, feed) = (&step.id, self.feed.clone());
        let watch = |input: &Input| {
            progress.add(match input {
                Input::Chunk(Chunk::Text { text } | Chunk::Reasoning { text }) => text,
                _ => "",
            });
            if let (Some(feed), Some(event)) = (&feed, to_event(input)) {
                feed(FeedItem::new(id, attempt, event));
            }
        };
        let inputs = runner.send(request, step.protocol, watch).await;
        Ok(SendOutput { inputs: merge_text(inputs), stored })
    }

    async fn decide_call(&self, ctx: &ActivityContext, step: CallStep) -> Result<CallOutput, ActivityError> {
        let config = self.config(&step.id, &step.scope)?;
        let tools = tools_digest(&config.tools, &config.known_tools);
        if tools != step.scope.tools && step.scope.is_pinned {
            return Ok(CallOutput::OtherTools);
        }
        let offer = (tools != step.scope.tools).then(|| to_offer(&config));
        let runner = self.runner(&step)?;
        let input = beat_during(ctx, &SharedProgress::default(), runner.decide(step.call)).await;
        let is_tainted = step.scope.is_tainted;
        Ok(CallOutput::Done(Box::new(CallDone { input, offer, is_tainted })))
    }

    async fn run_call(&self, ctx: &ActivityContext, step: CallStep) -> Result<CallOutput, ActivityError> {
        let config = self.config(&step.id, &step.scope)?;
        let tools = tools_digest(&config.tools, &config.known_tools);
        if tools != step.scope.tools && step.scope.is_pinned {
            return Ok(CallOutput::OtherTools);
        }
        let runner = self.runner(&step)?;
        let (progress, cancellation) = (SharedProgress::default(), CancellationToken::new());
        let watch = self.watcher(&step.id, ctx.info().attempt, &progress);
        let work = runner.run(step.call, step.approved, cancellation.clone(), watch);
        let stopping = async {
            ctx.cancelled().await;
            cancellation.cancel();
            std::future::pending::<()>().await;
        };
        let report = tokio::select! {
            report = beat_during(ctx, &progress, work) => report,
            () = stopping => return Err(ActivityError::cancelled()),
        };
        let adopted = (tools != step.scope.tools).then(|| to_offer(&config));
        let offer = report.offer.or(adopted);
        let done = CallDone { input: report.input, offer, is_tainted: report.is_tainted };
        Ok(CallOutput::Done(Box::new(done)))
    }

    async fn reconcile_call(
        &self,
        ctx: &ActivityContext,
        step: CallStep,
    ) -> Result<CallOutput, ActivityError> {
        let runner = self.runner(&step)?;
        let work = runner.reconcile(step.call, step.planned);
        let input = beat_during(ctx, &SharedProgress::default(), work).await;
        let is_tainted = step.scope.is_tainted;
        Ok(CallOutput::Done(Box::new(CallDone { input, offer: None, is_tainted })))
    }

    /// Begins the report about a step.
    fn observe(&self, ctx: &ActivityContext, run: &str, kind: StepKind) -> ObservedStep {
        ObservedStep::begin(self.observer.as_ref(), run, kind, ctx.info().attempt)
    }

    fn config(&self, id: &StepId, scope: &RunScope) -> Result<Config, ActivityError> {
        let config = self.agent.run_config(&id.run, scope.mode.as_deref());
        config.map_err(|error| not_started(&error))
    }

    fn runner(&self, step: &CallStep) -> Result<StepRunner, ActivityError> {
        let RunScope { mode, grants, is_tainted, .. } = step.scope.clone();
        let mut options =
            StepOptions::new(&step.id.run).with_mode(mode).with_grants(grants).with_taint(is_tainted);
        if let Some(outputs) = &self.outputs {
            options = options.with_outputs(outputs.join(&step.id.run));
        }
        self.agent.step_runner(options).map_err(|error| not_started(&error))
    }

    /// Returns the receiver of a call's progress.
    fn watcher(&self, id: &StepId, attempt: u32, progress: &SharedProgress) -> impl FnMut(Event) + use<> {
        let (id, progress, feed) = (id.clone(), progress.clone(), self.feed.clone());
        move |event| {
            if let Event::CallProgress { text, .. } | Event::CallNote { text, .. } = &event {
                progress.add(text);
            }
            if let Some(feed) = &feed {
                feed(FeedItem::new(&id, attempt, event));
            }
        }
    }
}

/// Returns the tools of a configuration as an offer for the next turn.
fn to_offer(config: &Config) -> Offer {
    Offer::new(0, config.tools.clone())
        .with_known_tools(config.known_tools.clone())
        .with_system(config.system.clone())
        .with_mode(config.mode.clone())
}

/// Returns the event that shows a piece of an answer while it arrives.
fn to_event(input: &Input) -> Option<Event> {
    match input {
        Input::Chunk(Chunk::Text { text }) => Some(Event::Text { text: text.clone() }),
        Input::Chunk(Chunk::Reasoning { text }) => Some(Event::Reasoning { text: text.clone() }),
        _ => None,
    }
}

/// Merges adjacent pieces of text, because the history contains the answer as a whole.
fn merge_text(inputs: Vec<Input>) -> Vec<Input> {
    let mut merged: Vec<Input> = Vec::new();
    for input in inputs {
        match (merged.last_mut(), &input) {
            (Some(Input::Chunk(Chunk::Text { text })), Input::Chunk(Chunk::Text { text: more }))
            | (
                Some(Input::Chunk(Chunk::Reasoning { text })),
                Input::Chunk(Chunk::Reasoning { text: more }),
            ) => {
                text.push_str(more);
            }
            _ => merged.push(input),
        }
    }
    merged
}

/// Returns the failure of a step that had no effect and would fail again.
fn not_started(error: &AgentError) -> ActivityError {
    fail(crate::error::describe(error), true)
}

/// Returns the failure of a request whose conversation cannot be read. Only a missing or damaged value is a permanent
/// failure; other failures of the store can be temporary.
fn no_conversation(error: &PayloadConversionError) -> ActivityError {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<ContentError>());
    let is_permanent = matches!(source, Some(ContentError::Missing(_) | ContentError::Damaged(_)));
    fail(crate::error::describe(error), is_permanent)
}

fn fail(message: String, is_permanent: bool) -> ActivityError {
    let failure = ApplicationFailure::builder(message)
        .type_name(NOT_STARTED.to_owned())
        .non_retryable(is_permanent)
        .build();
    ActivityError::Application(Box::new(failure))
}
