//! The execution of single commands of a machine that runs elsewhere, for the workers of durable engines.

use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;
use windlass_hitl::{Digest, Grants, Verdict};
use windlass_loop::{CallDecision, Command, Config, Event, Input, Offer, StreamFailure};
use windlass_protocol::{PlannedFile, Request, ResultStatus, ToolCall, ToolProtocol, ToolResult};
use windlass_tool::CancellationToken;

use crate::checkpointer::Gate;
use crate::command_runner::CommandRunner;
use crate::options::ResumeInputs;
use crate::outbox::{Outbox, Unread};
use crate::own_run::OwnRun;
use crate::redacting::Redacting;
use crate::tools::Tools;
use crate::{Agent, AgentError, RunningCalls, SharedBudget, SharedGrants};

/// Inputs that may be queued between the executed command and its caller.
const WAITING_INPUTS: usize = 64;

/// The state of a run that the execution of one command depends on. The process that holds the machine passes
/// it along with the command.
#[derive(Clone, Debug, Default)]
pub struct StepOptions {
    run: String,
    mode: Option<String>,
    grants: Grants,
    is_tainted: bool,
    outputs: Option<PathBuf>,
}

impl StepOptions {
    /// Creates the options for a command of the run with this id.
    pub fn new(run: impl Into<String>) -> Self {
        Self { run: run.into(), ..Self::default() }
    }

    /// Sets the mode of the run. Without it the agent's own mode is used.
    pub fn with_mode(mut self, mode: Option<String>) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the grants that the human gave for the session.
    pub fn with_grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// Sets whether the conversation contains text from outside ([`Agent::brings_text_from_outside`]).
    pub fn with_taint(mut self, is_tainted: bool) -> Self {
        self.is_tainted = is_tainted;
        self
    }

    /// Sets the folder for outputs that are too long for the model.
    pub fn with_outputs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.outputs = Some(folder.into());
        self
    }
}

/// The result of [`StepRunner::run`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallReport {
    /// The input for the machine: `Input::Result`, `Input::Deferred` or `Input::Fatal`.
    pub input: Input,
    /// The tools and the mode of the next turn, if the call changed them.
    pub offer: Option<Offer>,
    /// True if the call can have returned text from outside.
    pub is_tainted: bool,
}

/// An executor of single commands of a machine that runs in another process.
///
/// [`Agent::stream`] drives a machine and executes its commands in one process. With a durable engine the
/// machine runs in the engine's workflow, and each command that is work runs in any worker. A `StepRunner`
/// executes one such command with the agent's model, tools and policy, and returns the inputs for the
/// machine, from which registered secrets are removed as in a local run.
///
/// The runner keeps no state between commands. In particular [`run`](Self::run) decides about the call again:
/// a call that a human approved must still have the approved digest, and a call that policy allowed must
/// still be allowed.
///
/// ```
/// use windlass_agent::{Agent, AgentError, StepOptions};
/// use windlass_loop::Input;
/// use windlass_protocol::ToolCall;
///
/// async fn decide(agent: &Agent, call: ToolCall) -> Result<Input, AgentError> {
///     Ok(agent.step_runner(StepOptions::new("run-1"))?.decide(call).await)
/// }
/// ```
pub struct StepRunner {
    runner: CommandRunner,
    tools: Arc<Tools>,
    inputs: mpsc::Receiver<Box<Input>>,
    events: Unread,
    redacting: Redacting,
    ended: CancellationToken,
}

impl Agent {
    /// Returns the configuration of a machine for a run in this mode, with the tools that the toolbox offers
    /// now. Without a mode the agent's own mode is used.
    ///
    /// # Errors
    /// Returns an error if the toolbox does not have the mode.
    pub fn run_config(&self, run: &str, mode: Option<&str>) -> Result<Config, AgentError> {
        let parts = self.parts();
        let tools = parts.tools(mode.or(parts.work_mode.as_deref()))?;
        Ok(tools.config(&parts.config).with_run(run))
    }

    /// Returns an executor for one command of a machine that runs elsewhere.
    ///
    /// # Errors
    /// Returns an error if the toolbox does not have the mode of the options.
    pub fn step_runner(&self, options: StepOptions) -> Result<StepRunner, AgentError> {
        let parts = self.parts();
        let tools = parts.tools(options.mode.as_deref().or(parts.work_mode.as_deref()))?;
        let (sender, inputs) = mpsc::channel(WAITING_INPUTS);
        let (outbox, events) = Outbox::new();
        let ended = CancellationToken::new();
        let run = OwnRun {
            id: options.run,
            outputs: options.outputs,
            shared_budget: SharedBudget::default(),
            running_calls: RunningCalls::default(),
            ended: ended.clone(),
            stop: CancellationToken::new(),
            hand_off: None,
            model: None,
        };
        let inherited = (ResumeInputs::default(), SharedGrants::new(options.grants));
        let gate = Arc::new(Gate::default());
        let mut runner =
            CommandRunner::new(Arc::clone(parts), Arc::clone(&tools), sender, run, inherited, gate);
        runner.watch(outbox);
        if options.is_tainted {
            runner.taint();
        }
        let redacting = Redacting::new(parts.redactor.clone());
        Ok(StepRunner { runner, tools, inputs, events, redacting, ended })
    }
}

impl StepRunner {
    /// Sends a request to the model and returns the inputs of its answer, which end with `Input::StreamEnd`.
    /// `watch` receives each input when it arrives. Dropping the future ends the request.
    pub async fn send(
        mut self,
        request: Request,
        protocol: ToolProtocol,
        mut watch: impl FnMut(&Input),
    ) -> Vec<Input> {
        self.runner.perform(Command::Send { request: Box::new(request), protocol, delay_ms: 0 });
        let mut answer = Vec::new();
        loop {
            let input = self.runner.answer.next().await;
            let is_end = matches!(input, Input::StreamEnd(_));
            for input in self.redacting.input(input).into_iter().flatten() {
                watch(&input);
                answer.push(input);
            }
            if is_end {
                return answer;
            }
        }
    }

    /// Looks a call up, checks its arguments and asks policy. Returns `Input::Decided` or `Input::Fatal`.
    pub async fn decide(mut self, call: ToolCall) -> Input {
        self.runner.perform(Command::Decide(call));
        let input = self.next_input(&mut |_| {}).await;
        self.redact(input)
    }

    /// Runs a call. `approved` is the digest of the request that a human approved; `None` for a call that
    /// policy allowed. `watch` receives the progress of the call. `stop` stops the call in order, and its
    /// result is still returned.
    pub async fn run(
        mut self,
        call: ToolCall,
        approved: Option<Digest>,
        stop: CancellationToken,
        mut watch: impl FnMut(Event),
    ) -> CallReport {
        self.runner.perform(Command::Decide(call.clone()));
        let input = match self.next_input(&mut watch).await {
            Input::Decided { decision, .. } => match refuse(&call, *decision, approved) {
                Some(refused) => Input::Result(refused),
                None => self.run_decided(call, &stop, &mut watch).await,
            },
            other => other,
        };
        let is_tainted = self.runner.is_tainted();
        let offer = self.tools.news();
        self.ended.cancel();
        CallReport { input: self.redact(input), offer, is_tainted }
    }

    /// Compares the files with the plan of an interrupted call. Returns `Input::Reconciled`.
    pub async fn reconcile(mut self, call: ToolCall, planned: Vec<PlannedFile>) -> Input {
        self.runner.perform(Command::Reconcile { call, planned });
        let input = self.next_input(&mut |_| {}).await;
        self.redact(input)
    }

    async fn run_decided(
        &mut self,
        call: ToolCall,
        stop: &CancellationToken,
        watch: &mut impl FnMut(Event),
    ) -> Input {
        self.runner.perform(Command::Run(call));
        loop {
            let input = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    self.runner.perform(Command::Abort);
                    self.next_input(watch).await
                }
                input = self.next_input(watch) => input,
            };
            if !matches!(input, Input::Started(_)) {
                return input;
            }
        }
    }

    /// Returns the next input of the executed command. Cancel-safe.
    async fn next_input(&mut self, watch: &mut impl FnMut(Event)) -> Input {
        let (inputs, events) = (&mut self.inputs, &mut self.events);
        loop {
            tokio::select! {
                biased;
                Some(input) = inputs.recv() => match *input {
                    // The machine that records it runs elsewhere; the caller sees it as an event.
                    Input::Hook(report) => {
                        let event = Event::Hook { report };
                        for event in self.redacting.event(event).into_iter().flatten() {
                            watch(event);
                        }
                    }
                    input => return input,
                },
                Some(event) = poll_fn(|cx| events.poll_next(cx)) => {
                    for event in self.redacting.event(event).into_iter().flatten() {
                        watch(event);
                    }
                }
                // The runner holds a sender of each channel, so neither ends before the runner does.
                else => return Input::StreamEnd(Err(StreamFailure::new("the runner ended", false))),
            }
        }
    }

    fn redact(&mut self, input: Input) -> Input {
        let [_, redacted] = self.redacting.input(input);
        redacted.unwrap_or(Input::Tick)
    }
}

impl std::fmt::Debug for StepRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepRunner").finish_non_exhaustive()
    }
}

/// Returns the result of a call that must not run, although an earlier decision let it run.
fn refuse(call: &ToolCall, decision: CallDecision, approved: Option<Digest>) -> Option<ToolResult> {
    let text = match decision {
        CallDecision::Refused(result) => return Some(result),
        CallDecision::Decided { decision, request, .. } => match (decision.verdict, request, approved) {
            (Verdict::Allow, ..) => return None,
            (Verdict::Ask, Some(request), Some(approved)) if request.digest == approved => return None,
            (Verdict::Ask, _, Some(_)) => "stale_approval: not run, because the call is not the approved one",
            (Verdict::Ask, _, None) => "not run, because policy would ask a human about this call now",
            (Verdict::Deny, ..) => "not run, because policy denies this call now",
        },
    };
    Some(ToolResult::text(call.id.clone(), ResultStatus::Denied, text))
}
