//! The chunks of each kind of event.

use serde_json::{Value, json};
use windlass_app::feed::{FeedEvent, FeedKind, Question, QuestionEnd, RunOutcome};

use super::{AiSdkEncoder, AiSdkVersion, Step};
use crate::run::{agent_id, call_of, failure, output, to_json};
use crate::turn::Change;

impl AiSdkEncoder {
    pub(super) fn encode(&mut self, event: &FeedEvent, chunks: &mut Vec<Value>) {
        let open = match &event.kind {
            FeedKind::QuestionClosed { question, .. } => {
                self.state.open.get(question).map(|open| (open.agent.is_some(), open.card.clone()))
            }
            _ => None,
        };
        self.state.read(event);
        if self.encode_question(event, open, chunks) {
            return;
        }
        if let Some(path) = &event.agent {
            let changed = if event.kind.is_numbered() { self.agents.read(path, &event.kind) } else { None };
            match changed {
                Some((id, card)) => self.emit_data("agent", &id, &card, chunks),
                None => self.emit_transient(event, chunks),
            }
            return;
        }
        if let Some(changes) = self.read_draft(&event.kind) {
            self.apply(changes, chunks);
        } else if let Some(changes) = self.read_whole(&event.kind) {
            self.apply(changes, chunks);
            self.end_turn(&event.kind, chunks);
        } else if !self.encode_call(&event.kind, chunks) && !self.encode_run(event, chunks) {
            self.emit_transient(event, chunks);
        }
    }

    /// Returns the changes of a delta, if the event is a delta of an answer.
    fn read_draft(&mut self, kind: &FeedKind) -> Option<Vec<Change>> {
        let parts = &mut self.parts;
        let changes = match kind {
            FeedKind::TurnStarted { turn } => parts.start(*turn),
            FeedKind::TextDelta { .. }
            | FeedKind::ReasoningDelta { .. }
            | FeedKind::TextEnded { .. }
            | FeedKind::ReasoningEnded { .. }
            | FeedKind::CallStarted { .. }
            | FeedKind::ArgumentsDelta { .. }
            | FeedKind::ArgumentsEnded { .. }
                if self.version == AiSdkVersion::V6 =>
            {
                Vec::new()
            }
            other => return parts.read_delta(other),
        };
        Some(changes)
    }

    fn read_whole(&mut self, kind: &FeedKind) -> Option<Vec<Change>> {
        self.parts.read_whole(kind)
    }

    fn end_turn(&mut self, kind: &FeedKind, chunks: &mut Vec<Value>) {
        let FeedKind::TurnEnded { turn, usage, total, .. } = kind else { return };
        if self.step == Step::Turn {
            self.step = Step::Complete;
        }
        let metadata = json!({ "turn": turn, "usage": usage, "total": total, "seq": self.seq });
        self.emit(json!({ "type": "message-metadata", "messageMetadata": metadata }), chunks);
    }

    /// Encodes an event about a call that the message contains. Returns false if it is another event.
    fn encode_call(&mut self, kind: &FeedKind, chunks: &mut Vec<Value>) -> bool {
        let FeedKind::Result { call, status, text, images } = kind else { return false };
        if !self.state.has_call(call) {
            return false;
        }
        let chunk = match status.as_str() {
            "ok" => json!({
                "type": "tool-output-available", "toolCallId": call, "output": output(text, *images),
                "dynamic": true,
            }),
            "denied" if self.state.was_asked(call) => {
                json!({ "type": "tool-output-denied", "toolCallId": call })
            }
            _ => json!({
                "type": "tool-output-error", "toolCallId": call, "errorText": text, "dynamic": true,
            }),
        };
        self.emit(chunk, chunks);
        true
    }

    /// Encodes a question or its end. Returns false if it is another event.
    fn encode_question(
        &mut self,
        event: &FeedEvent,
        open: Option<(bool, Question)>,
        chunks: &mut Vec<Value>,
    ) -> bool {
        match &event.kind {
            FeedKind::QuestionOpened { question, card } => {
                let call = call_of(card).filter(|call| event.agent.is_none() && self.state.has_call(call));
                if let Some(call) = call {
                    let request = json!({
                        "type": "tool-approval-request", "approvalId": question, "toolCallId": call,
                        "approvalDescriptor": to_json(card),
                    });
                    self.emit(request, chunks);
                } else {
                    let agent = event.agent.as_ref().map(agent_id);
                    let data = json!({ "state": "open", "agent": agent, "card": to_json(card) });
                    self.emit_data("question", question, &data, chunks);
                }
            }
            FeedKind::QuestionClosed { question, closing, by } => {
                let Some((has_agent, card)) = open else { return true };
                if !has_agent && call_of(&card).is_some_and(|call| self.state.has_call(call)) {
                    self.emit_answer(question, closing, chunks);
                } else {
                    let data = json!({
                        "state": "closed", "card": to_json(&card), "closing": to_json(closing), "by": by,
                    });
                    self.emit_data("question", question, &data, chunks);
                }
            }
            _ => return false,
        }
        true
    }

    /// Adds the answer to the question about a call, which clients of version 6 do not know.
    fn emit_answer(&mut self, question: &str, closing: &QuestionEnd, chunks: &mut Vec<Value>) {
        if self.version == AiSdkVersion::V6 {
            return;
        }
        let (is_approved, reason) = match closing {
            QuestionEnd::Approved { comment, .. } => (true, comment.as_deref()),
            QuestionEnd::Denied { comment } => (false, comment.as_deref()),
            QuestionEnd::Answered { words } => (true, words.as_deref()),
            QuestionEnd::TimedOut => (false, Some("no answer arrived in time")),
            QuestionEnd::NoApprover => (false, Some("the run has no approver")),
            _ => (false, Some("the question was withdrawn")),
        };
        let mut chunk = json!({
            "type": "tool-approval-response", "approvalId": question, "approved": is_approved,
        });
        if let Some(reason) = reason {
            chunk["reason"] = reason.into();
        }
        self.emit(chunk, chunks);
    }

    /// Encodes an event about the run. Returns false if it is another event.
    fn encode_run(&mut self, event: &FeedEvent, chunks: &mut Vec<Value>) -> bool {
        match &event.kind {
            FeedKind::RunStarted { .. } => {
                let metadata = json!({ "session": event.session, "startedAt": event.at_ms });
                self.emit(json!({ "type": "message-metadata", "messageMetadata": metadata }), chunks);
            }
            FeedKind::Retry { .. } => {
                let void = self.parts.void();
                self.apply(void, chunks);
                self.emit_transient(event, chunks);
            }
            FeedKind::Message { text, source, .. } => {
                let data = json!({ "text": text, "source": source });
                self.emit_data("message", &event.seq.to_string(), &data, chunks);
            }
            FeedKind::TurnDiff { turn, diff } => {
                let data = json!({ "turn": turn, "diff": diff });
                self.emit_data("diff", &format!("turn-{turn}"), &data, chunks);
            }
            FeedKind::RunDiff { diff } => {
                self.emit_data("diff", &format!("run-{}", event.seq), &json!({ "diff": diff }), chunks);
            }
            FeedKind::Error { message } => {
                self.has_ended = true;
                let void = self.parts.mute();
                self.apply(void, chunks);
                self.emit(json!({ "type": "error", "errorText": message }), chunks);
                self.finish("error", json!({}), chunks);
            }
            FeedKind::RunEnded { outcome, total } => {
                // The client merges objects, so the state is a text.
                let metadata = json!({ "state": to_json(outcome)["state"], "total": total });
                self.end_run(event.seq, outcome, metadata, chunks);
            }
            _ => return false,
        }
        true
    }

    fn end_run(&mut self, seq: u64, outcome: &RunOutcome, metadata: Value, chunks: &mut Vec<Value>) {
        self.has_ended = true;
        let void = self.parts.mute();
        self.apply(void, chunks);
        // `useChat` sends answers if the last step has the call, so a suspended run does not add a step after the
        // call.
        if !matches!(outcome, RunOutcome::Suspended { .. }) {
            self.emit_data("outcome", &seq.to_string(), &to_json(outcome), chunks);
        }
        let reason = match outcome {
            RunOutcome::Completed { .. } => "stop",
            RunOutcome::Suspended { .. } => "tool-calls",
            RunOutcome::Failed { .. } => "error",
            _ => "other",
        };
        if let Some(message) = failure(outcome) {
            self.emit(json!({ "type": "error", "errorText": message }), chunks);
        }
        if let RunOutcome::Stopped { cause } = outcome
            && cause == "cancelled"
        {
            self.emit(json!({ "type": "abort", "reason": cause }), chunks);
        }
        self.finish(reason, metadata, chunks);
    }
}
