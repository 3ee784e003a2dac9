//! The tool `close_agent`: it ends an agent that works beside its caller.

use std::sync::Arc;

use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::spec::{agent_query_hints, calling_run, spec};
use crate::sub_agents::Shared;

/// The tool `close_agent`.
pub(crate) struct CloseAgent {
    spec: ToolSpec,
    shared: Arc<Shared>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: String,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"agent_id":{"type":"string","description":"The id that spawn_agent gave."}
},"required":["agent_id"],"additionalProperties":false}"#;

impl CloseAgent {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let description = "Ends an agent that works beside you, and gives its report if it had one. What it has done stays.";
        Self { spec: spec("close_agent", description, SCHEMA), shared }
    }
}

impl Tool for CloseAgent {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        agent_query_hints()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { agent_id } = read_arguments(payload)?;
            let beside = self.shared.find_beside(calling_run(ctx)?, ctx, &agent_id)?;
            beside.stop.cancel();
            let mut report = beside.report.clone();
            let ended = tokio::select! {
                ended = report.wait_for(Option::is_some) => ended.ok().and_then(|report| report.clone()),
                () = ctx.cancellation().cancelled() => None,
            };
            let text = match ended {
                Some(report) => format!("{agent_id}: {}\n{}", report.state, report.text),
                None => format!("{agent_id} is told to stop"),
            };
            Ok(Output::text(text).external())
        })
    }
}
