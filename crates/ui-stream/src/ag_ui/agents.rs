//! The sub-agents of a run of AG-UI.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use windlass_app::feed::{AgentPath, FeedKind};

use super::values::{set_agent, whole_part};
use crate::run::{agent_id, output};
use crate::turn::{PartKind, Whole};

/// The sub-agents that started.
#[derive(Debug, Default)]
pub(super) struct AgentRuns {
    active: BTreeSet<String>,
    ended: BTreeSet<String>,
    parts: BTreeMap<String, u64>,
}

impl AgentRuns {
    /// Returns the events for a numbered event of a sub-agent. The second value is true if they express it wholly.
    pub(super) fn read(&mut self, path: &AgentPath, kind: &FeedKind) -> (Vec<Value>, bool) {
        let mut events = Vec::new();
        let agent = self.start(path, &mut events);
        let whole = |kind: PartKind, content: Value| Whole { kind, content };
        let part = match kind {
            FeedKind::Text { text, .. } => whole(PartKind::Text, text.as_str().into()),
            FeedKind::Reasoning { text, .. } => whole(PartKind::Reasoning, text.as_str().into()),
            FeedKind::Call { call, tool, arguments, .. } => {
                let call = format!("{agent}:{call}");
                whole(PartKind::Call { call, tool: tool.clone() }, arguments.clone())
            }
            FeedKind::Result { call, text, images, status } => {
                let result = json!({
                    "type": "TOOL_CALL_RESULT", "messageId": format!("result:{agent}:{call}"),
                    "toolCallId": format!("{agent}:{call}"), "role": "tool",
                    "content": content(text, *images), "metadata": { "status": status },
                });
                events.push(set_agent(result, Some(&agent)));
                return (events, true);
            }
            FeedKind::RunEnded { .. } => {
                events.extend(self.finish(&agent));
                return (events, true);
            }
            _ => return (events, false),
        };
        let number = self.parts.entry(agent.clone()).or_default();
        *number = number.saturating_add(1);
        events.extend(whole_part(&format!("{agent}:{number}"), &part, &agent));
        (events, true)
    }

    /// Starts an agent and the agents above it.
    fn start(&mut self, path: &AgentPath, events: &mut Vec<Value>) -> String {
        let mut names = Vec::new();
        let mut parent: Option<String> = None;
        for name in &path.names {
            names.push(name.clone());
            let id = agent_id(&AgentPath::new(path.call.as_str(), names.clone()));
            if !self.ended.contains(&id) && self.active.insert(id.clone()) {
                let mut event = json!({
                    "type": "SUBAGENT_STARTED", "subagentRunId": id, "name": name,
                    "parentToolCallId": path.call,
                });
                if let Some(parent) = &parent {
                    event["parentSubagentRunId"] = parent.as_str().into();
                }
                events.push(event);
            }
            parent = Some(id);
        }
        agent_id(path)
    }

    fn finish(&mut self, agent: &str) -> Option<Value> {
        let is_active = self.active.remove(agent);
        self.ended.insert(agent.to_owned());
        is_active.then(|| {
            let outcome = json!({ "type": "success" });
            json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": agent, "outcome": outcome })
        })
    }

    /// Finishes all agents when the run ends. An agent that did not end is suspended.
    pub(super) fn finish_all(&mut self) -> Vec<Value> {
        let active = std::mem::take(&mut self.active);
        *self = Self::default();
        let outcome = json!({ "type": "suspended" });
        active
            .iter()
            .rev()
            .map(|agent| json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": agent, "outcome": outcome }))
            .collect()
    }
}

/// Returns the content of a result as text. The feed has the number of pictures, and not the pictures.
pub(super) fn content(text: &str, images: u32) -> String {
    match output(text, images) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
