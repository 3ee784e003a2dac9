//! The driver of a workflow: makes the calls that the state machine requests and records their results.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value};
use windlass_agent::{Agent, AgentError, RunOptions};
use windlass_journal::Journals;
use windlass_protocol::{ResultStatus, ToolCall, ToolResult};

use crate::machine::{Effect, End, Machine};
use crate::questions::{answering, asker, asks};
use crate::record::{Record, WorkflowEntry};
use crate::stepping::{PlannedStep, StepOutcome};
use crate::{RunError, StepKey, Workflow, WorkflowEvent, WorkflowOptions, WorkflowOutcome};

/// Runs workflows with the tools, the policy and the approver of an agent. It does not call the agent's
/// model.
///
/// Each call of a step is checked by policy, approved and recorded like a call of a model, in a journal of its
/// own. The record of the run contains the steps with their outputs, so another process can resume the run.
#[derive(Clone)]
pub struct Runner {
    hands: Agent,
    asker: Agent,
    journals: Arc<dyn Journals>,
}

impl Runner {
    /// Creates a runner that makes calls with the agent `hands` and stores records in `journals`.
    ///
    /// # Errors
    /// The agent that asks the workflow's questions cannot be built.
    pub fn new(hands: Agent, journals: Arc<dyn Journals>) -> Result<Self, AgentError> {
        Ok(Self { asker: asker(&hands)?, hands, journals })
    }

    /// Runs a workflow until it ends or needs a human who is not available.
    ///
    /// `run` is the key of the record. If a record exists, the run resumes from it, with the recorded input:
    /// completed steps do not run again, and an interrupted call resumes from its own record. A run that has
    /// completed or failed returns the same outcome again.
    ///
    /// Cancel-safe: dropping the future stops everything that it started, and the record allows a later call
    /// to resume.
    ///
    /// # Errors
    /// The record cannot be written or read, or belongs to another workflow; the input does not match the
    /// workflow's declaration; or a step differs from its record.
    pub async fn run(
        &self,
        run: &str,
        workflow: &Workflow,
        input: Map<String, Value>,
        options: &WorkflowOptions,
    ) -> Result<WorkflowOutcome, RunError> {
        let (journal, redactor) = (self.journals.open(run)?, options.redactor.clone());
        let record = Record::open(Box::new(journal), redactor, workflow.name(), || workflow.complete(input))?;
        if let Some(outcome) = record.over {
            return Ok(outcome);
        }
        let machine = Machine::new(workflow.plan.clone(), record.input.clone());
        let drive = Drive {
            runner: self,
            run,
            options,
            record,
            machine,
            calls: FuturesUnordered::new(),
            from_outside: None,
            is_stopping: false,
        };
        drive.drive().await
    }
}

type Running<'a> = Pin<Box<dyn Future<Output = (StepKey, u32, Result<StepOutcome, RunError>)> + Send + 'a>>;

/// The state of one run while it is driven.
struct Drive<'a> {
    runner: &'a Runner,
    run: &'a str,
    options: &'a WorkflowOptions,
    record: Record,
    machine: Machine,
    calls: FuturesUnordered<Running<'a>>,
    /// The first call that can return untrusted text; every later step may depend on it.
    from_outside: Option<ToolCall>,
    is_stopping: bool,
}

impl Drive<'_> {
    async fn drive(mut self) -> Result<WorkflowOutcome, RunError> {
        let mut effects = VecDeque::from(self.machine.start());
        loop {
            while let Some(effect) = effects.pop_front() {
                match effect {
                    Effect::Run { key, attempt, delay_ms, timeout_ms, work } => {
                        let stepping = PlannedStep { key, attempt, delay_ms, timeout_ms, work };
                        effects.extend(self.begin(stepping)?);
                    }
                    Effect::Ended { key, status, error } => {
                        self.options.tell(&WorkflowEvent::StepEnded { step: key, status, error });
                    }
                    Effect::Done(outcome) if !self.is_stopping => return self.end(outcome),
                    Effect::Done(_) => {}
                }
            }
            let Some((key, attempt, ran)) = self.calls.next().await else {
                return self.end(WorkflowOutcome::Stopped);
            };
            match ran? {
                StepOutcome::Stopped => self.is_stopping = true,
                StepOutcome::Ended(end) => {
                    self.record.finish(&key, attempt, &end)?;
                    effects.extend(self.machine.end_call(&key, attempt, end));
                }
            }
        }
    }

    /// Starts a call, or uses its recorded result.
    fn begin(&mut self, stepping: PlannedStep) -> Result<Vec<Effect>, RunError> {
        let (key, attempt) = (stepping.key.clone(), stepping.attempt);
        let asked = stepping.work.digest();
        let known = self.record.calls.remove(&(key.clone(), attempt));
        if known.as_ref().is_some_and(|(recorded, _)| *recorded != asked) {
            return Err(RunError::Changed { step: key });
        }
        let call = match stepping.work.call(&key) {
            Ok(call) => call,
            Err(problem) => {
                return Ok(self.machine.end_call(&key, attempt, End::refuse(problem.to_string())));
            }
        };
        let earlier = self.from_outside.clone();
        if earlier.is_none() && self.runner.hands.brings_text_from_outside(&call) {
            self.from_outside = Some(call.clone());
        }
        match known {
            Some((_, Some(end))) => return Ok(self.machine.end_call(&key, attempt, end)),
            Some((_, None)) => {}
            None if self.is_stopping => return Ok(Vec::new()),
            None => self.record.append(&WorkflowEntry::StepStarted { step: key.clone(), attempt, asked })?,
        }
        let tool = stepping.work.tool.clone();
        self.options.tell(&WorkflowEvent::StepStarted { step: key.clone(), attempt, tool });
        let id = format!("{}/{key}.{attempt}", self.run);
        let run = RunOptions::default()
            .with_journal(self.runner.journals.open(&id)?)
            .with_run_id(id)
            .with_earlier_calls(earlier);
        let asks = asks(&stepping.work.tool);
        let answer = self.options.answers.get(key.as_str());
        let run = match answer {
            Some(words) if !asks => {
                run.with_results([ToolResult::text(call.id.clone(), ResultStatus::Ok, words.as_str())])
            }
            _ => run,
        };
        let hands = match answer {
            Some(words) if asks => answering(&self.runner.asker, words)
                .map_err(|source| RunError::Step { step: key.clone(), source })?,
            _ if asks => self.runner.asker.clone(),
            _ => self.runner.hands.clone(),
        };
        let options = self.options;
        self.calls.push(Box::pin(async move {
            let ran = stepping.make(&hands, call, run, options).await;
            let ran = ran.map_err(|source| RunError::Step { step: key.clone(), source });
            (key, attempt, ran)
        }));
        Ok(Vec::new())
    }

    fn end(&mut self, outcome: WorkflowOutcome) -> Result<WorkflowOutcome, RunError> {
        self.record.append(&WorkflowEntry::Finished { outcome: outcome.clone() })?;
        self.options.tell(&WorkflowEvent::Ended { outcome: outcome.clone() });
        Ok(outcome)
    }
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("hands", &"an agent").finish_non_exhaustive()
    }
}
