//! The hooks of a run's input and of its end.

use std::sync::Arc;

use windlass_loop::{Command, Event, HookPoint, HookReport, Input, Outcome};
use windlass_protocol::Message;

use super::Driver;
use crate::AgentError;
use crate::agent_inner::AgentInner;
use crate::hook::{Hook, HookContext};
use crate::hook_set::{PassedValue, Veto};
use crate::messages::split_words;
use crate::outbox::Outbox;
use crate::redacting::message_without;

impl Driver {
    /// Sets the task, which hooks see before the run starts.
    pub(crate) fn with_task(mut self, task: Message) -> Self {
        self.task = Some(task);
        self
    }

    /// Passes the task through the hooks and starts the run. A veto ends it before anything is recorded.
    pub(super) async fn begin(
        &mut self,
        task: Message,
        effects: &mut Vec<Command>,
    ) -> Result<(), AgentError> {
        let (parts, ctx) = (Arc::clone(&self.parts), self.runner.hook_context());
        let PassedValue { value, reports } = pass_input(&parts, &ctx, task)
            .await
            .map_err(|Veto { hook, reason }| AgentError::Vetoed { hook, reason })?;
        self.machine.step_into(Input::Start { task: value }, 0, effects);
        self.report(reports, 0, effects);
        Ok(())
    }

    /// Passes a message to the run through the hooks. Returns every other input unchanged, and `None` for a message
    /// that was refused.
    pub(super) async fn check_message(
        &mut self,
        input: Input,
        events: &Outbox,
        now_ms: u64,
        effects: &mut Vec<Command>,
    ) -> Option<Input> {
        let Input::Say { id, text, parts, when } = input else { return Some(input) };
        if !self.parts.hooks.has(HookPoint::Input) {
            return Some(Input::Say { id, text, parts, when });
        }
        let mut message = Message::user(text);
        message.parts.extend(parts);
        let message = message_without(&self.redactor, message);
        let (parts, ctx) = (Arc::clone(&self.parts), self.runner.hook_context());
        match pass_input(&parts, &ctx, message).await {
            Ok(PassedValue { value, reports }) => {
                self.report(reports, now_ms, effects);
                let (text, parts) = split_words(value);
                Some(Input::Say { id, text, parts, when })
            }
            Err(veto) => {
                let reason = format!("the rule {} refused it: {}", veto.hook, veto.reason);
                self.report(vec![veto.report(HookPoint::Input)], now_ms, effects);
                let event = Event::MessageRefused { id, reason };
                for event in self.redacting.event(event).into_iter().flatten() {
                    events.send(event).await;
                }
                None
            }
        }
    }

    /// Calls the observers of the end.
    pub(super) fn end<'a>(&self, outcome: &'a Outcome) -> impl Future<Output = ()> + Send + use<'a> {
        let (parts, ctx) = (Arc::clone(&self.parts), self.runner.hook_context());
        async move { parts.hooks.observe(HookPoint::End, |hook| Hook::observe_end(hook, &ctx, outcome)).await }
    }

    fn report(&mut self, reports: Vec<HookReport>, now_ms: u64, effects: &mut Vec<Command>) {
        for report in reports {
            self.tell_machine(Input::Hook(report), now_ms, effects);
        }
    }
}

async fn pass_input(
    parts: &AgentInner,
    ctx: &HookContext,
    message: Message,
) -> Result<PassedValue<Message>, Veto> {
    parts
        .hooks
        .pass(
            HookPoint::Input,
            ctx,
            message,
            |hook, ctx, message| hook.check_input(ctx, message),
            |message, new| {
                *message = message_without(&parts.redactor, new);
                message.text()
            },
        )
        .await
}
