//! The tool `wait`: it returns the reports of agents that work beside their caller.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select_all;
use serde::Deserialize;
use windlass_protocol::{Effect, Hints, Payload, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::beside::Beside;
use crate::spec::{agent_query_hints, calling_run, spec};
use crate::sub_agents::Shared;

/// The default timeout and the maximum timeout, in seconds.
const SECONDS: u64 = 300;
const MOST_SECONDS: u64 = 3_600;
/// The maximum number of agents in one call.
const MOST_AGENTS: usize = 64;

/// The tool `wait`.
pub(crate) struct Wait {
    spec: ToolSpec,
    shared: Arc<Shared>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_ids: Vec<String>,
    #[serde(default)]
    timeout_seconds: Option<u64>,
}

const SCHEMA: &str = r#"{"type":"object","properties":{
"agent_ids":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string"},"description":"The ids that spawn_agent gave."},
"timeout_seconds":{"type":"integer","minimum":0,"maximum":3600,"description":"How long to wait at the most; 300 without it, 0 to look only."}
},"required":["agent_ids"],"additionalProperties":false}"#;

impl Wait {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let description = "Waits until one of the agents that work beside you has ended, and gives the reports of all \
            that have. Those that still work are named; wait for them again.";
        Self { spec: spec("wait", description, SCHEMA), shared }
    }
}

impl Tool for Wait {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The tool is not read-only, because read-only calls can start before the earlier `spawn_agent` call of
    /// the same answer.
    fn hints(&self) -> Hints {
        agent_query_hints()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { agent_ids, timeout_seconds } = read_arguments(payload)?;
            if agent_ids.is_empty() || agent_ids.len() > MOST_AGENTS {
                return Err(ToolError::model(format!("name 1 to {MOST_AGENTS} agents to wait for")));
            }
            let run = calling_run(ctx)?;
            let find = |id: &String| self.shared.find_beside(run, ctx, id);
            let agents = agent_ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            let seconds = timeout_seconds.unwrap_or(SECONDS).min(MOST_SECONDS);
            tokio::select! {
                () = any_ended(&agents) => {}
                () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
                () = ctx.cancellation().cancelled() => {}
            }
            Ok(Output::text(describe_agents(&agent_ids, &agents)).external())
        })
    }
}

async fn any_ended(agents: &[Arc<Beside>]) {
    let each = agents.iter().map(|agent| {
        let mut report = agent.report.clone();
        Box::pin(async move { drop(report.wait_for(Option::is_some).await) })
    });
    select_all(each).await;
}

fn describe_agents(ids: &[String], agents: &[Arc<Beside>]) -> String {
    let mut text = String::new();
    for (id, agent) in ids.iter().zip(agents) {
        match &*agent.report.borrow() {
            Some(report) => drop(writeln!(text, "{id}: {}\n{}", report.state, report.text)),
            None => drop(writeln!(text, "{id}: still works")),
        }
    }
    text
}
