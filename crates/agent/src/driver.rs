//! The driver of a run: it executes the effects of the machine and passes their results back to it.

mod hooks;
mod start;
mod waiting;

use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};
use windlass_journal::{Durability, JournalError};
use windlass_loop::{Command, Entry, Event, Input, Machine};
use windlass_protocol::{Message, RawJson};
use windlass_redact::Redactor;
use windlass_tool::{CancellationToken, DropGuard};

use self::waiting::{next_message, wait_until};
use crate::agent_inner::AgentInner;
use crate::checkpointer::Gate;
use crate::command_runner::CommandRunner;
use crate::outbox::Outbox;
use crate::previews::Previews;
use crate::redacting::Redacting;
use crate::run_journal::RunJournal;
use crate::shared_budget::BudgetShare;
use crate::stream::RunEnd;
use crate::tools::Tools;
use crate::{AgentError, MessageReceiver};

/// The driver of one run.
pub(crate) struct Driver {
    machine: Machine,
    journal: RunJournal,
    redactor: Redactor,
    redacting: Redacting,
    cancellation: CancellationToken,
    runner: CommandRunner,
    gate: Arc<Gate>,
    inputs: mpsc::Receiver<Box<Input>>,
    previews: Previews,
    tools: Arc<Tools>,
    messages: Option<MessageReceiver>,
    share: BudgetShare,
    /// The agent, whose hooks see the task, messages and the end.
    parts: Arc<AgentInner>,
    /// The task, if hooks see it before the run starts.
    task: Option<Message>,
    /// Cancels the token of the run when the driver is dropped, so that work which calls left running ends
    /// too.
    _ended: DropGuard,
}

impl Driver {
    /// Executes effects and passes inputs to the machine until the run ends.
    pub(crate) async fn drive(
        mut self,
        mut effects: Vec<Command>,
        events: Outbox,
        end: RunEnd,
    ) -> Result<(), AgentError> {
        let began = Instant::now();
        let mut is_cancelled = false;
        self.runner.watch(events.clone());
        let cancellation = self.cancellation.clone();
        let mut cancelled = std::pin::pin!(cancellation.cancelled());
        if let Some(task) = self.task.take() {
            self.begin(task, &mut effects).await?;
        }
        loop {
            for effect in effects.drain(..) {
                match effect {
                    Command::Record(entry) => self.record(&entry).await?,
                    Command::Show(event) => {
                        if matches!(event, Event::Finished { .. }) {
                            let ended = (self.machine.transcript().clone(), self.machine.used());
                            *end.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
                        }
                        self.show(event, &events).await;
                    }
                    Command::Offered { number } => self.tools.begin(number),
                    Command::Done(outcome) => {
                        self.end(&outcome).await;
                        return Ok(());
                    }
                    command => {
                        self.runner.set_summary(self.machine.is_summarizing());
                        self.runner.perform(command);
                    }
                }
            }
            let deadline = self.machine.next_deadline().map(|ms| began + Duration::from_millis(ms));
            let input = tokio::select! {
                () = &mut cancelled, if !is_cancelled => {
                    is_cancelled = true;
                    Input::Cancel
                }
                input = self.runner.answer.next() => input,
                Some(input) = self.inputs.recv() => *input,
                input = next_message(&mut self.messages) => input,
                () = self.share.wait_for_grant() => Input::Tick,
                () = wait_until(deadline) => Input::Tick,
            };
            let now_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            if let Input::Approval(outcome) = &input
                && let Some(reason) = self.runner.remember(outcome)
            {
                events.send(Event::AnswerRefused { reason }).await;
            }
            if let Some(input) = self.check_message(input, &events, now_ms, &mut effects).await {
                self.tell_machine(input, now_ms, &mut effects);
            }
        }
    }

    /// Appends an entry without secrets to the journal, and returns when it has the required durability. This
    /// blocks for a disk write, usually a few milliseconds, so that no action happens before its record; an asynchronous
    /// journal is awaited instead.
    /// Results and texts were redacted before the machine received them; this is the last line of defense, for
    /// the arguments of calls that a model wrote.
    async fn record(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let encode = |source| JournalError::Encode { source };
        // A secret that equals a field name of the entry must stay, or the run could not be resumed.
        let text = self.redactor.to_redacted_json(entry).map_err(encode)?;
        let body: RawJson = text.parse().map_err(encode)?;
        let durability = if entry.is_critical() { Durability::Synced } else { Durability::Buffered };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.journal.append(body, at_ms, durability).await
    }

    /// Passes an input to the machine. A changed tool offer and new usage of other runs go first, because the
    /// machine needs them before it ends a turn. A chunk cannot end a turn, so it skips them.
    fn tell_machine(&mut self, input: Input, now_ms: u64, effects: &mut Vec<Command>) {
        if !matches!(input, Input::Chunk(_)) {
            let offer = self.tools.news().map(|offer| Input::Offer(Box::new(offer)));
            for news in offer.into_iter().chain(self.share.news()) {
                self.machine.step_into(news, now_ms, effects);
            }
        }
        let granted = self.machine.grants();
        if self.redacting.is_idle() {
            self.machine.step_into(input, now_ms, effects);
        } else {
            for input in self.redacting.input(input).into_iter().flatten() {
                self.machine.step_into(input, now_ms, effects);
            }
        }
        self.share.set(self.machine.used());
        if self.machine.grants() != granted {
            self.share.grant();
        }
    }

    /// Sends an event to the reader, together with the checkpoint events before it and the previews of
    /// streaming calls after it.
    async fn show(&mut self, event: Event, events: &Outbox) {
        if let Event::ApprovalEnded { outcome } = &event {
            self.runner.end_question(outcome);
        }
        let mut shown = Vec::new();
        self.previews.see(&event, &self.tools, &mut shown);
        let before = self.gate.events_before(&event).await;
        if before.is_empty() && shown.is_empty() && self.redacting.is_idle() {
            return events.send(event).await;
        }
        for event in before.into_iter().chain(std::iter::once(event)).chain(shown) {
            // Sending does not fail without a reader. Dropping the stream drops the run as well.
            for event in self.redacting.event(event).into_iter().flatten() {
                events.send(event).await;
            }
        }
    }
}
