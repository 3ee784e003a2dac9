//! The tool `run_workflow`, with which a model runs a workflow.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_agent::{CallingRun, Event};
use windlass_journal::Journals;
use windlass_protocol::{Effect, Hints, Payload, RawJson, ResultStatus, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Progress, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::{RunError, Runner, StepStatus, WorkflowEvent, WorkflowOptions, WorkflowOutcome, Workflows};

const NAME: &str = "run_workflow";
/// The name prefix of the agent that runs the steps of a workflow.
const AGENT: &str = "workflow ";
const DESCRIPTION: &str = "Runs a workflow: predefined steps, each of which calls a tool, delegates a task \
                           to another agent or asks the human. It returns the output, or the step at which \
                           it stopped and the reason. Every call in it is decided separately. The workflows:";

/// Maximum nesting depth of workflows that run workflows.
const MAX_DEPTH: usize = 3;

/// The tool `run_workflow`. A child agent of the calling agent runs the steps, with the same permissions at
/// most. Each call has its own record, from which it can be resumed.
pub struct RunWorkflow {
    spec: ToolSpec,
    journals: Arc<dyn Journals>,
    workflows: Workflows,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    workflow: String,
    #[serde(default)]
    input: Map<String, Value>,
}

impl RunWorkflow {
    /// Creates the tool for these workflows. Records are stored in `journals`.
    pub fn new(workflows: Workflows, journals: Arc<dyn Journals>) -> Self {
        let mut description = DESCRIPTION.to_owned();
        for (workflow, _) in workflows.iter() {
            let definition = workflow.definition();
            let inputs = definition.input.iter().map(|(name, input)| match &input.default {
                None => format!("{name} (needed): {}", input.description),
                Some(_) => format!("{name}: {}", input.description),
            });
            let inputs: Vec<String> = inputs.collect();
            let _ = write!(description, "\n- {}: {}", workflow.name(), definition.description);
            if !inputs.is_empty() {
                let _ = write!(description, " Input: {}", inputs.join("; "));
            }
        }
        let names: Vec<&str> = workflows.iter().map(|(workflow, _)| workflow.name()).collect();
        let schema = json!({
            "type": "object",
            "properties": {
                "workflow": {"type": "string", "enum": names, "description": "The name of the workflow."},
                "input": {"type": "object", "description": "The input values, by name."},
            },
            "required": ["workflow"],
            "additionalProperties": false,
        });
        Self { spec: spec(description, &schema), journals, workflows }
    }
}

fn spec(description: String, schema: &Value) -> ToolSpec {
    let schema: RawJson = schema.to_string().parse().expect("it was written as JSON");
    let name = ToolName::new(NAME).expect("the name is a constant and a test reads it");
    ToolSpec::function(name, description, schema)
}

impl Tool for RunWorkflow {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { resumable: true, risk: Risk::Medium, ..Hints::default() }
    }

    /// The tool only delegates work. The policy checks each call of each step.
    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<Arguments>(payload) {
            Ok(arguments) => vec![Effect::Spawn { agent: format!("workflow {}", arguments.workflow) }],
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { workflow, input } = read_arguments(payload)?;
            let Some(workflow) = self.workflows.find(&workflow) else {
                let names = self.workflows.names();
                return Err(ToolError::model(format!(
                    "unknown workflow {workflow}; known workflows: \
                     {names}"
                )));
            };
            let Some(run) = CallingRun::from_context(ctx) else {
                return Err(ToolError::model("this call is not made by an agent, so its steps cannot run"));
            };
            let name = format!("{AGENT}{}", workflow.name());
            if run.agents().iter().filter(|agent| agent.starts_with(AGENT)).count() >= MAX_DEPTH {
                let text = format!("workflows are already nested {MAX_DEPTH} levels deep");
                return Err(ToolError::model(text).with_advice("Do the rest of the work yourself."));
            }
            let hands = run.agent(name.as_str()).build().map_err(ToolError::fatal)?;
            let runner = Runner::new(hands, self.journals.clone()).map_err(ToolError::fatal)?;
            let listener = ctx.clone();
            let mut options = WorkflowOptions::default()
                .with_cancellation(ctx.cancellation().clone())
                .with_redactor(ctx.redactor().clone())
                .with_shared_budget(run.shared_budget().clone())
                .with_call(ctx.clone())
                .with_listener(move |event| tell(&listener, &name, event));
            if let Some(outputs) = ctx.outputs() {
                options = options.with_outputs(outputs);
            }
            let outcome = runner.run(ctx.idempotency_key(), workflow, input, &options).await;
            to_output(workflow.name(), outcome)
        })
    }
}

fn to_output(name: &str, outcome: Result<WorkflowOutcome, RunError>) -> Result<Output, ToolError> {
    match outcome {
        Ok(WorkflowOutcome::Completed { output }) => Ok(Output::from(output)),
        Ok(WorkflowOutcome::Failed { step, message }) => {
            let text = format!(
                "the workflow {name} stopped at its step {step}: {message}\nThe effects of the earlier \
                 steps remain. Check them before you continue; running the workflow again starts from the \
                 beginning."
            );
            Ok(Output::text(text).with_status(ResultStatus::Error))
        }
        Ok(WorkflowOutcome::Suspended { .. }) => Err(ToolError::Deferred),
        Ok(WorkflowOutcome::Stopped) => {
            let text = format!(
                "the workflow {name} was stopped; its record contains the calls that it had \
                 started"
            );
            Ok(Output::text(text).with_status(ResultStatus::Cancelled))
        }
        Err(RunError::Input { problem }) => Err(ToolError::model(problem)),
        Err(error @ RunError::Changed { .. }) => Err(ToolError::model(error.to_string())),
        Err(error) => Err(ToolError::fatal(error)),
    }
}

fn tell(ctx: &Context, name: &str, event: &WorkflowEvent) {
    let note = match event {
        WorkflowEvent::StepStarted { step, attempt: 1, tool } => format!("{step}: {tool}"),
        WorkflowEvent::StepStarted { step, attempt, tool } => format!("{step}: {tool}, try {attempt}"),
        WorkflowEvent::StepEnded { step, status: StepStatus::Failed, error } => {
            format!("{step} failed: {}", error.as_deref().unwrap_or_default())
        }
        WorkflowEvent::Call { event, .. } => {
            if let Some(progress) = forward_progress(name, event) {
                ctx.tell(progress);
            }
            return;
        }
        _ => return,
    };
    ctx.tell(Progress::Note(note));
}

/// Converts an event of a step's call into progress for the listener of the root run, with the path of agents
/// (RULES H13).
fn forward_progress(name: &str, event: &Event) -> Option<Progress> {
    let mut path = vec![name.to_owned()];
    let event = match event {
        Event::AgentEvent { agents, happened, .. } => {
            path.extend(agents.iter().cloned());
            happened.clone()
        }
        // These events are meaningless here, because the calls are made without a model.
        Event::TurnStarted { .. }
        | Event::Text { .. }
        | Event::AnswerEnded { .. }
        | Event::TaskCompleted { .. }
        | Event::Finished { .. } => return None,
        event => serde_json::to_value(event).ok()?,
    };
    Some(Progress::Agent { agents: path, event })
}

impl fmt::Debug for RunWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWorkflow").field("workflows", &self.workflows.names()).finish_non_exhaustive()
    }
}
