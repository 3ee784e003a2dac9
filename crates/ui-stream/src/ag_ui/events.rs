//! The events of AG-UI for each kind of event.

use serde_json::{Value, json};
use windlass_app::feed::{FeedEvent, FeedKind};

use super::AgUiEncoder;
use super::agents::content;
use crate::run::{agent_id, to_json};
use crate::turn::Change;

impl AgUiEncoder {
    pub(super) fn encode(&mut self, event: &FeedEvent, events: &mut Vec<Value>) {
        self.state.read(event);
        if self.encode_question(event, events) {
            return;
        }
        if let Some(path) = &event.agent {
            let (list, is_complete) = if event.kind.is_numbered() {
                self.agents.read(path, &event.kind)
            } else {
                (Vec::new(), false)
            };
            self.emit_all(list, events);
            if !is_complete {
                self.emit_custom("event", &to_json(event), events);
            }
            return;
        }
        if let Some(changes) = self.read_answer(&event.kind) {
            if let Some(turn) = turn_of(&event.kind) {
                self.start_step(turn, events);
            }
            self.apply(changes, events);
            if let FeedKind::TurnEnded { usage, total, .. } = &event.kind {
                self.emit_custom("usage", &json!({ "turn": usage, "total": total }), events);
                self.end_step(events);
            }
        } else if !self.encode_run(event, events) {
            self.emit_custom("event", &to_json(event), events);
        }
    }

    /// Returns the changes of an event of an answer.
    fn read_answer(&mut self, kind: &FeedKind) -> Option<Vec<Change>> {
        if let FeedKind::TurnStarted { turn } = kind {
            return Some(self.parts.start(*turn));
        }
        if let Some(changes) = self.parts.read_whole(kind) {
            return Some(changes);
        }
        if self.has_drafts {
            return self.parts.read_delta(kind);
        }
        // The changes of deltas are not read, so the whole parts have no drafts.
        let is_delta =
            !kind.is_numbered() && !matches!(kind, FeedKind::CallNote { .. } | FeedKind::CallOutput { .. });
        is_delta.then(Vec::new)
    }

    fn encode_question(&mut self, event: &FeedEvent, events: &mut Vec<Value>) -> bool {
        let value = match &event.kind {
            FeedKind::QuestionOpened { question, card } => json!({
                "question": question, "state": "open", "agent": event.agent.as_ref().map(agent_id),
                "card": to_json(card),
            }),
            FeedKind::QuestionClosed { question, closing, by } => json!({
                "question": question, "state": "closed", "closing": to_json(closing), "by": by,
            }),
            _ => return false,
        };
        self.emit_custom("question", &value, events);
        true
    }

    fn encode_run(&mut self, event: &FeedEvent, events: &mut Vec<Value>) -> bool {
        match &event.kind {
            FeedKind::Retry { .. } => {
                let void = self.parts.void();
                self.apply(void, events);
                self.emit_custom("event", &to_json(event), events);
            }
            FeedKind::Result { call, status, text, images } => {
                self.pending.remove(call);
                let result = json!({
                    "type": "TOOL_CALL_RESULT", "messageId": format!("result:{call}"), "toolCallId": call,
                    "role": "tool", "content": content(text, *images), "metadata": { "status": status },
                });
                self.emit(result, events);
            }
            FeedKind::TurnDiff { turn, diff } => {
                self.emit_custom("diff", &json!({ "turn": turn, "diff": diff }), events);
            }
            FeedKind::RunDiff { diff } => self.emit_custom("diff", &json!({ "diff": diff }), events),
            FeedKind::Error { message } => {
                self.has_ended = true;
                self.fail(message, "resumable", events);
            }
            FeedKind::RunEnded { outcome, total } => self.end_run(outcome, total, events),
            _ => return false,
        }
        true
    }
}

/// Returns the number of the turn that an event belongs to.
fn turn_of(kind: &FeedKind) -> Option<u32> {
    match kind {
        FeedKind::TurnStarted { turn }
        | FeedKind::Text { turn, .. }
        | FeedKind::Reasoning { turn, .. }
        | FeedKind::Call { turn, .. }
        | FeedKind::TurnEnded { turn, .. }
        | FeedKind::TextDelta { turn, .. }
        | FeedKind::ReasoningDelta { turn, .. } => Some(*turn),
        _ => None,
    }
}
