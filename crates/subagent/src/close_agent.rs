//! The tool `close_agent`: it ends a background agent.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::Hints;
use windlass_tool::{Context, Output, ToolError};

use crate::background_tool::Action;
use crate::registry::AgentRegistry;
use crate::spec::{agent_query_hints, calling_run};

/// The action of the tool `close_agent`.
pub(crate) struct CloseAgent;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    agent_id: String,
}

impl Action for CloseAgent {
    const NAME: &'static str = "close_agent";
    const DESCRIPTION: &'static str =
        "Ends an agent that works in parallel, and returns its report if it has one. Its changes remain.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"agent_id":{"type":"string","description":"The id that spawn_agent returned."}
},"required":["agent_id"],"additionalProperties":false}"#;

    type Arguments = Arguments;

    fn hints() -> Hints {
        agent_query_hints()
    }

    async fn run(
        registry: &Arc<AgentRegistry>,
        ctx: &Context,
        arguments: Arguments,
    ) -> Result<Output, ToolError> {
        let Arguments { agent_id } = arguments;
        let agent = registry.find_background(calling_run(ctx)?, ctx, &agent_id)?;
        agent.stop.cancel();
        let mut report = agent.report.clone();
        let ended = tokio::select! {
            ended = report.wait_for(Option::is_some) => ended.ok().and_then(|report| report.clone()),
            () = ctx.cancellation().cancelled() => None,
        };
        let text = match ended {
            Some(report) => format!("{agent_id}: {}\n{}", report.state, report.text),
            None => format!("{agent_id} was asked to stop"),
        };
        Ok(Output::text(text).external())
    }
}
