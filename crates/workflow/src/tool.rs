//! `run_workflow`: a model has a graph of steps run.

use std::fmt::{self, Write as _};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_protocol::{Effect, Hints, Payload, RawJson, ResultStatus, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Progress, Tool, ToolError, ToolFuture, read_arguments};

use crate::{RunError, Runner, StepStatus, WorkflowEvent, WorkflowOptions, WorkflowOutcome, Workflows};

const NAME: &str = "run_workflow";
const DESCRIPTION: &str = "Runs a workflow: steps that were laid down before, each of which calls a tool, hands a task \
    to another agent or asks the human. It gives what came of it, or says at which step it stopped and why. Every call \
    in it is judged by itself. These there are:";

/// The tool `run_workflow`. Its call keeps a record of its own, and goes on from it.
pub struct RunWorkflow {
    spec: ToolSpec,
    runner: Runner,
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
    /// The tool that runs these workflows so. The hands of the runner must have another toolbox than the one that this
    /// tool is in: while it runs alone there, it waits for what it has them do.
    pub fn new(runner: Runner, workflows: Workflows) -> Self {
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
                "workflow": {"type": "string", "enum": names, "description": "Which one."},
                "input": {"type": "object", "description": "What it is given, by name."},
            },
            "required": ["workflow"],
            "additionalProperties": false,
        });
        let schema: RawJson = schema.to_string().parse().expect("it was written as JSON");
        let name = ToolName::new(NAME).expect("the name is a constant and a test reads it");
        Self { spec: ToolSpec::function(name, description, schema), runner, workflows }
    }
}

impl Tool for RunWorkflow {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { risk: Risk::Medium, ..Hints::default() }
    }

    /// It hands work on. What its steps do is judged step by step.
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
                return Err(ToolError::model(format!("there is no workflow {workflow}; there are: {names}")));
            };
            let listener = ctx.clone();
            let mut options = WorkflowOptions::default()
                .with_cancellation(ctx.cancellation().clone())
                .with_redactor(ctx.redactor().clone())
                .with_listener(move |event| tell(&listener, event));
            if let Some(outputs) = ctx.outputs() {
                options = options.with_outputs(outputs);
            }
            let outcome = self.runner.run(ctx.idempotency_key(), workflow, input, &options).await;
            told(workflow.name(), outcome)
        })
    }
}

fn told(name: &str, outcome: Result<WorkflowOutcome, RunError>) -> Result<Output, ToolError> {
    match outcome {
        Ok(WorkflowOutcome::Completed { output }) => Ok(Output::from(output)),
        Ok(WorkflowOutcome::Failed { step, message }) => {
            let text = format!(
                "the workflow {name} stopped at its step {step}: {message}\nWhat the steps before it did is done. Look at \
                 it before you go on; running the workflow again begins anew."
            );
            Ok(Output::text(text).with_status(ResultStatus::Error))
        }
        Ok(WorkflowOutcome::Suspended { .. }) => Err(ToolError::Deferred),
        Ok(WorkflowOutcome::Stopped) => {
            let text = format!("the workflow {name} was stopped; what it had begun is on its record");
            Ok(Output::text(text).with_status(ResultStatus::Cancelled))
        }
        Err(RunError::Input { problem }) => Err(ToolError::model(problem)),
        Err(error @ RunError::Changed { .. }) => Err(ToolError::model(error.to_string())),
        Err(error) => Err(ToolError::fatal(error)),
    }
}

fn tell(ctx: &Context, event: &WorkflowEvent) {
    let note = match event {
        WorkflowEvent::StepStarted { step, attempt: 1, tool } => format!("{step}: {tool}"),
        WorkflowEvent::StepStarted { step, attempt, tool } => format!("{step}: {tool}, try {attempt}"),
        WorkflowEvent::StepEnded { step, status: StepStatus::Failed, error } => {
            format!("{step} failed: {}", error.as_deref().unwrap_or_default())
        }
        _ => return,
    };
    ctx.tell(Progress::Note(note));
}

impl fmt::Debug for RunWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWorkflow").field("workflows", &self.workflows.names()).finish_non_exhaustive()
    }
}
