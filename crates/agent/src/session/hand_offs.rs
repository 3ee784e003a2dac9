//! The transfers of a session's conversation between agents.

use std::path::PathBuf;

use windlass_loop::Outcome;
use windlass_protocol::{History, Message, RequestOptions};
use windlass_tool::CancellationToken;

use super::Session;
use crate::hand_off_slot::{HandOff, HandOffSlot};
use crate::{Agent, EventStream, Report, RunOptions, SharedBudget};

/// The transfers of one task, and the settings that the runs of all its agents share.
pub(super) struct HandOffs {
    slot: HandOffSlot,
    cancellation: CancellationToken,
    shared_budget: SharedBudget,
    outputs: Option<PathBuf>,
    request: RequestOptions,
    /// The agent and the conversation before the task, which a failure after a transfer restores.
    before: (Agent, History),
    is_transferred: bool,
}

impl HandOffs {
    pub(super) fn new(options: &RunOptions, session: &Session) -> Self {
        Self {
            slot: HandOffSlot::default(),
            cancellation: options.cancellation.clone(),
            shared_budget: options.shared_budget.clone(),
            outputs: options.outputs.clone(),
            request: options.request.clone(),
            before: (session.agent.clone(), session.messages.clone()),
            is_transferred: false,
        }
    }

    /// Returns the options of a run that can transfer the conversation. A transfer stops this run and not the
    /// program's own token.
    pub(super) fn prepare(&self, mut options: RunOptions) -> RunOptions {
        options.hand_off = Some(self.slot.clone());
        options.with_cancellation(self.cancellation.child_token())
    }

    /// Returns the transfer that the ended run requested. A run that the program stopped transfers nothing.
    pub(super) fn next(&self, report: &Report) -> Option<HandOff> {
        let next = self.slot.take()?;
        let is_stopped = matches!(report.outcome, Outcome::Stopped { .. });
        (is_stopped && !self.cancellation.is_cancelled()).then_some(next)
    }

    /// Continues the task with the next agent.
    pub(super) fn continue_with(
        &mut self,
        session: &mut Session,
        next: HandOff,
        report: &Report,
    ) -> EventStream {
        self.is_transferred = true;
        session.usage.add(&report.usage);
        session.used = session.used.plus(report.used);
        session.messages = report.transcript.messages().clone();
        session.agent = Agent::from_parts(next.parts);
        // A grant belongs to the policy under which a human gave it.
        session.grants.clear();
        let text = format!(
            "The conversation was transferred to you. The agent before you writes: {}\nContinue it and answer the user.",
            next.reason
        );
        let mut options = RunOptions::default()
            .with_shared_budget(self.shared_budget.clone())
            .with_request_options(self.request.clone());
        options.outputs.clone_from(&self.outputs);
        session.begin(Message::user(text), self.prepare(options))
    }

    /// Corrects the state of the session after the last agent of the task.
    pub(super) fn end(&self, session: &mut Session, report: &Report) {
        if !self.is_transferred {
            return;
        }
        let (agent, messages) = &self.before;
        if matches!(report.outcome, Outcome::Failed { .. }) {
            session.agent = agent.clone();
            session.messages = messages.clone();
        } else if session.messages.starts_with(messages)
            && let Some(start) = session.starts.last_mut()
        {
            // The messages of the task begin where those before the task end.
            *start = messages.len();
        }
    }
}

impl std::fmt::Debug for HandOffs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandOffs").field("is_transferred", &self.is_transferred).finish_non_exhaustive()
    }
}
