//! Events of AG-UI as JSON.

use serde_json::{Value, json};

use crate::turn::{PartKind, Whole};

/// Returns the id of a part: calls have their own.
pub(super) fn key(id: &str, kind: &PartKind) -> String {
    match kind {
        PartKind::Call { call, .. } => format!("call {call}"),
        _ => format!("text {id}"),
    }
}

/// Adds the sub-agent that an event belongs to.
pub(super) fn set_agent(mut event: Value, agent: Option<&str>) -> Value {
    if let Some(agent) = agent {
        event["subagentRunId"] = agent.into();
    }
    event
}

pub(super) fn begin(id: &str, kind: &PartKind, agent: Option<&str>) -> Vec<Value> {
    let events = match kind {
        PartKind::Text => vec![json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" })],
        PartKind::Reasoning => vec![
            json!({ "type": "REASONING_START", "messageId": id }),
            json!({ "type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning" }),
        ],
        PartKind::Call { call, tool } => {
            vec![json!({ "type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": tool })]
        }
    };
    events.into_iter().map(|event| set_agent(event, agent)).collect()
}

pub(super) fn delta(id: &str, kind: &PartKind, text: &str) -> Value {
    match kind {
        PartKind::Text => json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }),
        PartKind::Reasoning => json!({ "type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": text }),
        PartKind::Call { call, .. } => json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": text }),
    }
}

pub(super) fn end(id: &str, kind: &PartKind, agent: Option<&str>) -> Vec<Value> {
    let events = match kind {
        PartKind::Text => vec![json!({ "type": "TEXT_MESSAGE_END", "messageId": id })],
        PartKind::Reasoning => vec![
            json!({ "type": "REASONING_MESSAGE_END", "messageId": id }),
            json!({ "type": "REASONING_END", "messageId": id }),
        ],
        PartKind::Call { call, .. } => vec![json!({ "type": "TOOL_CALL_END", "toolCallId": call })],
    };
    events.into_iter().map(|event| set_agent(event, agent)).collect()
}

/// Returns the events of a whole part of a sub-agent.
pub(super) fn whole_part(id: &str, whole: &Whole, agent: &str) -> Vec<Value> {
    let text = whole.text();
    let mut events = begin(id, &whole.kind, Some(agent));
    if !text.is_empty() {
        events.push(set_agent(delta(id, &whole.kind, &text), Some(agent)));
    }
    events.extend(end(id, &whole.kind, Some(agent)));
    events
}
