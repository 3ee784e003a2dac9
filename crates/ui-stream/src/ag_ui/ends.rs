//! The ends of a run of AG-UI.

use serde_json::{Value, json};
use windlass_app::feed::{RunOutcome, Tokens};

use super::AgUiEncoder;
use crate::answers::{message, reason, response_schema};
use crate::run::{call_of, to_json};

impl AgUiEncoder {
    pub(super) fn end_run(&mut self, outcome: &RunOutcome, total: &Tokens, events: &mut Vec<Value>) {
        self.has_ended = true;
        let end = match outcome {
            RunOutcome::Completed { .. } => json!({ "type": "success" }),
            RunOutcome::Suspended { .. } => self.interrupt(),
            RunOutcome::Stopped { cause } if cause == "cancelled" => json!({ "type": "cancelled" }),
            RunOutcome::Stopped { cause } => {
                return self.fail(
                    &format!("the run stopped before its task was done: {cause}"),
                    cause,
                    events,
                );
            }
            RunOutcome::Failed { message } => return self.fail(message, "failed", events),
            _ => return self.fail("the run ended in an unknown way", "unknown", events),
        };
        self.finish(&end, Some((outcome, total)), events);
    }

    /// Returns the outcome of a run that waits: the open questions, or the calls whose results are missing.
    pub(super) fn interrupt(&self) -> Value {
        let interrupts: Vec<Value> = self.state.open.iter().map(|(id, open)| {
            let mut interrupt = json!({
                "id": id, "reason": reason(&open.card), "message": message(&open.card),
                "responseSchema": response_schema(&open.card), "metadata": { "card": to_json(&open.card) },
            });
            if let Some(call) = call_of(&open.card) {
                interrupt["toolCallId"] = match &open.agent {
                    Some(agent) => format!("{agent}:{call}").into(),
                    None => call.into(),
                };
            }
            if let Some(agent) = &open.agent {
                interrupt["subagentRunId"] = agent.as_str().into();
            }
            interrupt
        }).collect();
        if interrupts.is_empty() {
            return json!({ "type": "success", "pendingToolCallIds": self.pending });
        }
        json!({ "type": "interrupt", "interrupts": interrupts })
    }

    /// Closes everything that is open, and finishes the run.
    pub(super) fn finish(
        &mut self,
        outcome: &Value,
        end: Option<(&RunOutcome, &Tokens)>,
        events: &mut Vec<Value>,
    ) {
        self.close_all(events);
        let mut state = match std::mem::take(&mut self.client_state) {
            Value::Object(state) => state,
            _ => serde_json::Map::new(),
        };
        let place = json!({ "session": self.session, "run": self.run, "seq": self.seq });
        state.insert("windlass".to_owned(), place);
        self.client_state = Value::Object(state);
        let snapshot = self.client_state.clone();
        self.emit(json!({ "type": "STATE_SNAPSHOT", "snapshot": snapshot }), events);
        let (thread, run) = self.ids();
        let mut event =
            json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": run, "outcome": outcome });
        if let Some((outcome, total)) = end {
            event["result"] = to_json(outcome);
            if total.are_reported() {
                event["usage"] = json!([usage(total)]);
            }
        }
        self.emit(event, events);
        self.forget();
    }

    pub(super) fn fail(&mut self, message: &str, code: &str, events: &mut Vec<Value>) {
        self.close_all(events);
        self.emit(json!({ "type": "RUN_ERROR", "message": message, "code": code }), events);
        self.forget();
    }

    fn close_all(&mut self, events: &mut Vec<Value>) {
        let void = self.parts.mute();
        self.apply(void, events);
        self.end_step(events);
        let agents = self.agents.finish_all();
        self.emit_all(agents, events);
    }
}

fn usage(total: &Tokens) -> Value {
    json!({
        "inputTokens": total.input, "outputTokens": total.output,
        "totalTokens": total.input.saturating_add(total.output), "reasoningTokens": total.reasoning,
        "cachedInputTokens": total.cache_read, "cacheWriteInputTokens": total.cache_write,
    })
}
