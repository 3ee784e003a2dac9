//! The calls that work, for `/stop`.

use std::collections::BTreeMap;

use windlass_app::feed::{AgentPath, FeedEvent, FeedKind};

/// Maximum number of calls that are stored.
const MAX_CALLS: usize = 1_000;

/// Call of the run or of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorkingCall {
    /// The sub-agent that made the call; `None` for the run itself.
    pub(super) agent: Option<AgentPath>,
    /// Id of the call.
    pub(super) call: String,
}

/// The calls of a run and its sub-agents that work, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingCalls {
    /// The tools of the calls without a result.
    tools: BTreeMap<WorkingCall, String>,
    working: Vec<WorkingCall>,
}

impl WorkingCalls {
    /// Follows an event of the feed.
    pub(super) fn apply(&mut self, event: &FeedEvent) {
        let name = |call: &String| WorkingCall { agent: event.agent.clone(), call: call.clone() };
        match &event.kind {
            FeedKind::Call { call, tool, .. } if self.tools.len() < MAX_CALLS => {
                self.tools.insert(name(call), tool.clone());
            }
            FeedKind::CallRunning { call } if self.working.len() < MAX_CALLS => self.working.push(name(call)),
            FeedKind::Result { call, .. } => {
                let ended = name(call);
                self.tools.remove(&ended);
                self.working.retain(|known| *known != ended);
            }
            FeedKind::RunEnded { .. } if event.agent.is_none() => *self = Self::default(),
            _ => {}
        }
    }

    /// Returns the newest call that works, or the newest one with this id or tool.
    pub(super) fn find(&self, name: Option<&str>) -> Option<(WorkingCall, String)> {
        let tool = |call: &WorkingCall| self.tools.get(call).cloned().unwrap_or_default();
        let fits = |call: &&WorkingCall| name.is_none_or(|name| call.call == name || tool(call) == name);
        let found = self.working.iter().rev().find(fits)?;
        Some((found.clone(), tool(found)))
    }
}
