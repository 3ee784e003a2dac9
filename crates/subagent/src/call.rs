//! The tool `sub_agent_NAME`: it gives a task to an agent and returns the report.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::AgentDefinition;
use crate::child::Child;
use crate::owner::tool_of;
use crate::registry::AgentRegistry;
use crate::spec::{begins_an_agent, calling_run, check_task, spec};

/// The tool of one agent.
pub(crate) struct SubAgentTool {
    spec: ToolSpec,
    registry: Arc<AgentRegistry>,
    definition: Arc<AgentDefinition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    task: String,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"task":{"type":"string","description":"Everything that the agent needs to know: the goal, the place, the findings so far, what must not be changed, what to report."}
},"required":["task"],"additionalProperties":false}"#;

impl SubAgentTool {
    pub(crate) fn new(registry: Arc<AgentRegistry>, definition: Arc<AgentDefinition>) -> Self {
        let description = format!(
            "Delegates a task to another agent, which starts without this conversation, and returns its \
             report. {}",
            definition.description()
        );
        let spec = spec(&tool_of(definition.name()), &description, SCHEMA);
        Self { spec, registry, definition }
    }
}

impl Tool for SubAgentTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        begins_an_agent()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Spawn { agent: self.definition.name().to_owned() }]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { task } = read_arguments(payload)?;
            check_task(&task)?;
            let run = calling_run(ctx)?;
            let _place = self.registry.place(run, ctx).await?;
            let key = ctx.idempotency_key().to_owned();
            let tool = self.spec.name().as_str();
            let child = Child { registry: &self.registry, run, definition: &self.definition, tool, key };
            child.perform(ctx, &task, run.options(ctx), None).await
        })
    }
}
