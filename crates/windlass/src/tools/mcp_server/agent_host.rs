//! The tools of an agent for MCP clients.

use std::sync::Arc;

use windlass_agent::{Agent, AgentError, RunOptions};
use windlass_mcp_server::{CallFuture, Caller, ToolHost};
use windlass_protocol::{Hints, ResultStatus, ToolCall, ToolResult, ToolSpec};
use windlass_tool::CancellationToken;

/// The tools of an [`Agent`], for a [`ToolServer`](super::ToolServer). A call of a client passes the agent's policy and
/// approver, and is a run of its own, with the record in memory. No request is sent to the agent's model.
///
/// ```
/// use std::sync::Arc;
///
/// use windlass::prelude::*;
/// use windlass::tools::mcp_server::{AgentHost, ToolHost, ToolServer};
/// # struct Silent;
/// # impl Model for Silent {
/// #     fn stream<'a>(&'a self, _: &'a windlass::protocol::Request) -> windlass::stream::ModelFuture<'a> {
/// #         Box::pin(std::future::pending())
/// #     }
/// # }
///
/// /// Returns the weather of a city.
/// #[tool(read_only, internal)]
/// fn weather(city: String) -> String {
///     format!("{city}: rain")
/// }
///
/// let agent = Agent::builder().model(Silent, "none").tool(Weather).build()?;
/// let host = AgentHost::new(agent);
/// assert_eq!(host.tools().len(), 1);
/// let server = ToolServer::new(Arc::new(host));
/// # drop(server);
/// # Ok::<(), windlass::AgentError>(())
/// ```
#[derive(Debug)]
pub struct AgentHost {
    agent: Agent,
}

impl AgentHost {
    /// Creates the host.
    pub fn new(agent: Agent) -> Self {
        Self { agent }
    }
}

impl ToolHost for AgentHost {
    fn tools(&self) -> Vec<(ToolSpec, Hints)> {
        self.agent.toolbox().map(|toolbox| toolbox.refresh().tool_specs()).unwrap_or_default()
    }

    fn call(self: Arc<Self>, call: ToolCall, caller: Caller) -> CallFuture {
        Box::pin(async move {
            let id = call.id.clone();
            let stop = caller.cancellation().clone();
            match execute(&self.agent, call, stop).await {
                Ok(Some(result)) => result,
                Ok(None) => ToolResult::text(id, ResultStatus::Cancelled, "the call was stopped"),
                Err(error) => ToolResult::text(id, ResultStatus::Error, error.to_string()),
            }
        })
    }
}

/// Executes a call. Returns `None` if the run ended without a result of the call.
async fn execute(
    agent: &Agent,
    call: ToolCall,
    stop: CancellationToken,
) -> Result<Option<ToolResult>, AgentError> {
    let options = RunOptions::default().with_cancellation(stop);
    Ok(agent.execute_calls([call], options)?.finish().await?.results.pop())
}
