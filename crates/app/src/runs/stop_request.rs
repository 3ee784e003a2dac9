//! Requests of windows that a working run, or one of its calls, stops.

use serde::{Deserialize, Serialize};
use windlass_agent::RunningCalls;
use windlass_protocol::CallId;
use windlass_tool::CancellationToken;

use crate::feed::AgentPath;

/// Request to a working run. The inbox carries it to another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stop", rename_all = "snake_case")]
pub(crate) enum StopRequest {
    /// The run stops in order: every call that started still gets its result.
    Run,
    /// A call stops, and the run continues.
    Call {
        call: String,
        /// The sub-agent that makes the call; missing for the run itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentPath>,
    },
}

impl StopRequest {
    /// Stops the work. Returns false if the call does not work, for example because it waits for an answer.
    pub(crate) fn perform(&self, calls: &RunningCalls, cancellation: &CancellationToken) -> bool {
        match self {
            Self::Run => {
                cancellation.cancel();
                true
            }
            Self::Call { call, agent } => stop_call(calls, agent.as_ref(), call),
        }
    }
}

/// Stops a call of a run or of one of its sub-agents.
pub(crate) fn stop_call(calls: &RunningCalls, agent: Option<&AgentPath>, call: &str) -> bool {
    let Ok(call) = CallId::new(call) else { return false };
    match agent {
        Some(agent) => {
            CallId::new(agent.call.as_str()).is_ok_and(|root| calls.stop_in(&root, &agent.names, &call))
        }
        None => calls.stop(&call),
    }
}
