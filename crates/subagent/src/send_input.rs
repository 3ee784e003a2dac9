//! The tool `send_input`: it sends a message to an agent that works beside its caller.

use std::sync::Arc;

use serde::Deserialize;
use windlass_agent::Moment;
use windlass_protocol::{Concurrency, Effect, Hints, Payload, Risk, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::{calling_run, check_task, spec};
use crate::sub_agents::Shared;

/// The tool `send_input`.
pub(crate) struct SendInput {
    spec: ToolSpec,
    shared: Arc<Shared>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: String,
    text: String,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"agent_id":{"type":"string","description":"The id that spawn_agent gave."},
"text":{"type":"string","description":"What it is to know or do."}
},"required":["agent_id","text"],"additionalProperties":false}"#;

impl SendInput {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let description =
            "Says something to an agent that works beside you. It hears it before its next answer.";
        Self { spec: spec("send_input", description, SCHEMA), shared }
    }
}

impl Tool for SendInput {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints { concurrency: Concurrency::Parallel, risk: Risk::Low, ..Hints::default() }
    }

    /// The policy decides about the agent's actions when the agent calls its own tools.
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { agent_id, text } = read_arguments(payload)?;
            check_task(&text)?;
            let beside = self.shared.find_beside(calling_run(ctx)?, ctx, &agent_id)?;
            let over =
                || ToolError::model(format!("{agent_id} has ended and hears nothing; wait gives its report"));
            let speaker =
                beside.speaker.as_ref().filter(|_| beside.report.borrow().is_none()).ok_or_else(over)?;
            speaker.say(text, Moment::NextTurn).await.map_err(|_| over())?;
            Ok(Output::text(format!("{agent_id} hears it before its next answer")))
        })
    }
}
