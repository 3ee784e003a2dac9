//! The state of sub-agents, as data parts show it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass_app::feed::{AgentPath, FeedKind};

use crate::run::{agent_id, to_json};

/// The state of each sub-agent of a run.
#[derive(Debug, Default)]
pub(super) struct AgentCards {
    cards: BTreeMap<String, Value>,
}

impl AgentCards {
    /// Reads an event of a sub-agent. Returns the agent's id and its state, if the state changed.
    pub(super) fn read(&mut self, path: &AgentPath, kind: &FeedKind) -> Option<(String, Value)> {
        let id = agent_id(path);
        let is_new = !self.cards.contains_key(&id);
        let card = self.cards.entry(id.clone()).or_insert_with(
            || json!({ "call": path.call, "names": path.names, "state": "working", "calls": 0 }),
        );
        match kind {
            FeedKind::Text { text, .. } => card["text"] = text.as_str().into(),
            FeedKind::Call { tool, .. } => {
                card["calls"] = card["calls"].as_u64().unwrap_or_default().saturating_add(1).into();
                card["tool"] = tool.as_str().into();
            }
            FeedKind::TurnEnded { turn, total, .. } => {
                card["turn"] = (*turn).into();
                card["total"] = to_json(total);
            }
            FeedKind::RunEnded { outcome, total } => {
                card["state"] = "ended".into();
                card["outcome"] = to_json(outcome);
                card["total"] = to_json(total);
            }
            _ if is_new => {}
            _ => return None,
        }
        Some((id, card.clone()))
    }
}
