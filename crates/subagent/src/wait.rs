//! The tool `wait`: it returns the reports of background agents.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select_all;
use serde::Deserialize;
use windlass_protocol::Hints;
use windlass_tool::{Context, Output, ToolError};

use crate::background_agent::BackgroundAgent;
use crate::background_tool::Action;
use crate::registry::AgentRegistry;
use crate::spec::{agent_query_hints, calling_run};

/// The default timeout and the maximum timeout, in seconds.
const SECONDS: u64 = 300;
const MOST_SECONDS: u64 = 3_600;
/// The maximum number of agents in one call.
const MOST_AGENTS: usize = 64;

/// The action of the tool `wait`.
pub(crate) struct Wait;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    agent_ids: Vec<String>,
    #[serde(default)]
    timeout_seconds: Option<u64>,
}

impl Action for Wait {
    const NAME: &'static str = "wait";
    const DESCRIPTION: &'static str = "Waits until one of the agents that work in parallel has ended, and \
                                       returns the reports of all agents that have ended. Agents that still \
                                       work are listed; wait for them again.";
    const SCHEMA: &'static str = r#"{"type":"object","properties":{
"agent_ids":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string"},"description":"The ids that spawn_agent returned."},
"timeout_seconds":{"type":"integer","minimum":0,"maximum":3600,"description":"The maximum wait. Default 300; 0 returns at once."}
},"required":["agent_ids"],"additionalProperties":false}"#;

    type Arguments = Arguments;

    /// The tool is not read-only, because read-only calls can start before the earlier `spawn_agent` call of
    /// the same answer.
    fn hints() -> Hints {
        agent_query_hints()
    }

    async fn run(
        registry: &Arc<AgentRegistry>,
        ctx: &Context,
        arguments: Arguments,
    ) -> Result<Output, ToolError> {
        let Arguments { agent_ids, timeout_seconds } = arguments;
        if agent_ids.is_empty() || agent_ids.len() > MOST_AGENTS {
            return Err(ToolError::model(format!(
                "the call names {} agents, and it takes 1 to {MOST_AGENTS}",
                agent_ids.len()
            )));
        }
        let run = calling_run(ctx)?;
        let find = |id: &String| registry.find_background(run, ctx, id);
        let agents = agent_ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let seconds = timeout_seconds.unwrap_or(SECONDS).min(MOST_SECONDS);
        tokio::select! {
            () = any_ended(&agents) => {}
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
            () = ctx.cancellation().cancelled() => {}
        }
        Ok(Output::text(describe_agents(&agent_ids, &agents)).external())
    }
}

async fn any_ended(agents: &[Arc<BackgroundAgent>]) {
    let each = agents.iter().map(|agent| {
        let mut report = agent.report.clone();
        Box::pin(async move { drop(report.wait_for(Option::is_some).await) })
    });
    select_all(each).await;
}

fn describe_agents(ids: &[String], agents: &[Arc<BackgroundAgent>]) -> String {
    let mut text = String::new();
    for (id, agent) in ids.iter().zip(agents) {
        match &*agent.report.borrow() {
            Some(report) => drop(writeln!(text, "{id}: {}\n{}", report.state, report.text)),
            None => drop(writeln!(text, "{id}: still works")),
        }
    }
    text
}
