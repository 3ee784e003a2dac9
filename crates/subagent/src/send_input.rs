//! The tool `send_input`: it sends a message to a background agent.

use std::sync::Arc;

use serde::Deserialize;
use windlass_agent::DeliverAt;
use windlass_protocol::{Concurrency, Hints, Risk};
use windlass_tool::{Context, Output, ToolError};

use crate::background_tool::Action;
use crate::registry::AgentRegistry;
use crate::spec::{calling_run, check_task};

/// The action of the tool `send_input`.
pub(crate) struct SendInput;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    agent_id: String,
    text: String,
}

impl Action for SendInput {
    const NAME: &'static str = "send_input";
    const DESCRIPTION: &'static str =
        "Sends a message to an agent that works in parallel. The agent receives it before its next answer.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"agent_id":{"type":"string","description":"The id that spawn_agent returned."},
"text":{"type":"string","description":"The message with a task or information for the agent."}
},"required":["agent_id","text"],"additionalProperties":false}"#;

    type Arguments = Arguments;

    fn hints() -> Hints {
        Hints { concurrency: Concurrency::Parallel, risk: Risk::Low, ..Hints::default() }
    }

    async fn run(
        registry: &Arc<AgentRegistry>,
        ctx: &Context,
        arguments: Arguments,
    ) -> Result<Output, ToolError> {
        let Arguments { agent_id, text } = arguments;
        check_task(&text)?;
        let agent = registry.find_background(calling_run(ctx)?, ctx, &agent_id)?;
        let over = || {
            ToolError::model(format!("{agent_id} has ended and receives no messages"))
                .with_advice("wait returns its report.")
        };
        let sender = agent.input.as_ref().filter(|_| agent.report.borrow().is_none()).ok_or_else(over)?;
        sender.send(text, DeliverAt::NextTurn).await.map_err(|_| over())?;
        Ok(Output::text(format!("{agent_id} receives it before its next answer")))
    }
}
