//! The tool `spawn_agent`: it starts an agent that works while its caller continues.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::background::id_of;
use crate::owner::SPAWN_AGENT;
use crate::registry::AgentRegistry;
use crate::spec::{begins_an_agent, calling_run, check_task, spec};

/// The tool `spawn_agent`.
pub(crate) struct SpawnAgent {
    spec: ToolSpec,
    registry: Arc<AgentRegistry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent: String,
    task: String,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"agent":{"type":"string","description":"One of the agents above."},
"task":{"type":"string","description":"Everything that the agent needs to know: the goal, the place, the findings so far, what must not be changed, what to report."}
},"required":["agent","task"],"additionalProperties":false}"#;

impl SpawnAgent {
    pub(crate) fn new(registry: Arc<AgentRegistry>) -> Self {
        let description = format!(
            "Starts another agent on a task in parallel and returns its id at once. Send it messages with \
             send_input, get its report with wait, end it with close_agent. It ends when your run ends. The \
             agents:{}",
            registry.list_agents()
        );
        Self { spec: spec(SPAWN_AGENT, &description, SCHEMA), registry }
    }
}

impl Tool for SpawnAgent {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        begins_an_agent()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<Arguments>(payload) {
            Ok(arguments) => vec![Effect::Spawn { agent: arguments.agent }],
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { agent, task } = read_arguments(payload)?;
            check_task(&task)?;
            let run = calling_run(ctx)?;
            let definition = self.registry.definition(&agent)?;
            let key = ctx.idempotency_key();
            self.registry.start_background(run, ctx, &definition, (key, &task))?;
            Ok(Output::text(format!("{} works", id_of(&definition, ctx))))
        })
    }
}
