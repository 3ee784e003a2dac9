//! The context in which a tool runs a call.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use windlass_loop::{Event, Input};
use windlass_protocol::CallId;
use windlass_tool::{Context, Progress};

use super::CommandRunner;
use crate::CallingRun;

impl CommandRunner {
    pub(super) fn context(&self, call: &CallId) -> Context {
        let run = CallingRun {
            parts: Arc::clone(&self.parts),
            toolbox: self.tools.current(),
            id: self.run.id.clone(),
            shared_budget: self.run.shared_budget.clone(),
            ended: self.run.ended.clone(),
            stop: self.run.stop.clone(),
            running_calls: self.run.running_calls.clone(),
            hand_off: self.run.hand_off.clone(),
        };
        let mut ctx = Context::new(call.clone())
            .with_idempotency_key(format!("{}/{call}", self.run.id))
            .with_thing(run)
            .with_cancellation(self.calls.child_token())
            .with_redactor(self.parts.redactor.clone());
        if let Some(outputs) = &self.run.outputs {
            ctx = ctx.with_outputs(outputs);
        }
        if let Some(human) = &self.parts.human {
            ctx = ctx.with_human(human.clone());
        }
        let (call, inputs) = (call.clone(), self.inputs.clone());
        let Some(outbox) = self.events.clone() else {
            return ctx.with_progress(move |progress| {
                if let Progress::Started = progress {
                    send_started(&inputs, &call);
                }
            });
        };
        let (text, room) = (outbox.text_of(call.clone()), outbox.clone());
        ctx.with_progress(move |progress| match progress {
            Progress::Started => send_started(&inputs, &call),
            Progress::Output(words) => text.push_output(words),
            Progress::Note(words) => text.push_note(words),
            Progress::Agent { agents, event } => {
                outbox.push_event(Event::AgentEvent { call: call.clone(), agents, happened: event });
            }
            _ => {}
        })
        .with_backpressure(move || {
            let room = room.clone();
            Box::pin(async move { room.room().await })
        })
    }
}

/// Informs the machine that a call has started. If the queue is full, a task sends the input later.
fn send_started(inputs: &mpsc::Sender<Box<Input>>, call: &CallId) {
    if let Err(TrySendError::Full(input)) = inputs.try_send(Box::new(Input::Started(call.clone()))) {
        let inputs = inputs.clone();
        tokio::spawn(async move { drop(inputs.send(input).await) });
    }
}
