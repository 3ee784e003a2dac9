//! The replay of a record: each entry restores the conversation, the counters, and the recorded state of the
//! newest answer and its calls.

use windlass_protocol::{Message, Part, ResultStatus, Role, ToolCall, ToolResult, Usage};

use super::Core;
use super::requests::to_message;
use super::restored::{LastAnswer, RestoredState};
use crate::completion::find_completion;
use crate::{
    Command, Config, Entry, InterruptId, InterruptReason, MessageSource, Outcome, ResumeError, Transcript,
    TranscriptError, Wait,
};

impl Core {
    /// Restores the state of a run from its record, and records the resumption.
    pub(crate) fn restore(
        config: Config,
        entries: impl IntoIterator<Item = Entry>,
        now_ms: u64,
    ) -> Result<(Self, RestoredState), ResumeError> {
        let mut core = Self::new(config);
        core.now_ms = now_ms;
        let mut entries = entries.into_iter().enumerate().peekable();
        let task = match entries.next() {
            Some((_, Entry::Started { version, task, protocol, run, options, only_compacts, .. }))
                if version <= Entry::VERSION =>
            {
                core.protocols.restore(protocol);
                if version >= Entry::FIRST_WITH_OPTIONS {
                    let given = std::mem::replace(&mut core.config.options, *options);
                    core.config.options.restore_authorizations(&given);
                }
                if !run.is_empty() {
                    core.config.run = run;
                }
                core.only_compacts = only_compacts;
                task
            }
            Some((_, Entry::Started { version, .. })) => return Err(ResumeError::Version { version }),
            _ => return Err(ResumeError::NotStarted),
        };
        if let Some((_, Entry::Imported { messages })) =
            entries.next_if(|(_, entry)| matches!(entry, Entry::Imported { .. }))
        {
            // The conversation was repaired when it was imported, so this import repairs nothing.
            core.import(Transcript::import(messages.iter().cloned()).transcript);
        }
        core.ledger.start(now_ms);
        if core.only_compacts {
            core.conversation.request_compaction();
        } else {
            let fits = core.conversation.begin_task(task);
            fits.map_err(|source| ResumeError::Contradiction { position: 0, source })?;
        }
        let mut restored = RestoredState::default();
        for (position, entry) in entries {
            let fits = core.replay(entry, &mut restored)?;
            fits.map_err(|source| ResumeError::Contradiction { position, source })?;
        }
        // Everything that was counted until now is in the record.
        let _ = core.ledger.take_unrecorded();
        core.generation = core.generation.saturating_add(1);
        core.emit(Command::Record(Entry::Resumed { generation: core.generation }));
        core.record_mode(restored.mode());
        Ok((core, restored))
    }

    fn replay(
        &mut self,
        entry: Entry,
        restored: &mut RestoredState,
    ) -> Result<Result<(), TranscriptError>, ResumeError> {
        match entry {
            Entry::Answered { message, refused, malformed, stop, usage, prices, .. } => {
                self.restore_prices(prices);
                self.count_usage(&usage);
                let last = LastAnswer { stop, has_words: !message.text().is_empty(), is_settled: false };
                *restored = restored.next_answer(refused, last);
                return Ok(self.replay_answer(message, &usage, &restored.refused, malformed));
            }
            Entry::Result { result } => return Ok(self.replay_result(result, restored)),
            Entry::Said { source, message } => return Ok(self.replay_message(source, message, restored)),
            Entry::Finished { outcome } => return self.replay_end(outcome, restored).map(Ok),
            Entry::Compacted { summarized, usage, .. } => {
                self.restore_prices(None);
                // Before version 6 only the tokens show that the model was asked for a summary.
                if summarized || usage != Usage::default() {
                    self.count_usage(&usage);
                    self.attempts.clear_discarded();
                }
                self.conversation.repeat(&entry);
            }
            Entry::ImagesRemoved { .. } => self.conversation.repeat(&entry),
            Entry::InterruptReply { id, words } => self.replay_reply(id, words, restored),
            Entry::Resumed { .. }
            | Entry::Protocol { .. }
            | Entry::Queued { .. }
            | Entry::Discarded { .. }
            | Entry::Shared { .. }
            | Entry::Interrupt { .. } => self.replay_counter(entry, restored),
            other => {
                if let Entry::Approval { outcome, .. } = &other {
                    self.count_review(outcome);
                }
                restored.add(other);
            }
        }
        Ok(Ok(()))
    }

    fn replay_counter(&mut self, entry: Entry, restored: &mut RestoredState) {
        match entry {
            Entry::Resumed { generation } => {
                self.generation = generation;
                restored.interrupt();
            }
            Entry::Protocol { protocol } => self.protocols.restore(protocol),
            Entry::Queued { id, text, parts, when } => self.steering.push(id, to_message(text, parts), when),
            Entry::Discarded { usage, prices } => {
                self.attempts.restore_discarded();
                self.restore_prices(prices);
                if let Some(usage) = usage {
                    self.count_usage(&usage);
                }
            }
            Entry::Shared { used } => self.ledger.restore_others(used),
            Entry::Interrupt { id, question } => self.interrupts.restore(id, question),
            _ => {}
        }
    }

    fn replay_answer(
        &mut self,
        message: Message,
        usage: &Usage,
        refused: &[ToolResult],
        malformed: Option<usize>,
    ) -> Result<(), TranscriptError> {
        self.count_replayed_turn();
        self.conversation.learn_size(usage);
        self.protocols.lock();
        self.interrupts.close();
        self.unknown.clear();
        let calls: Vec<ToolCall> = message.calls().cloned().collect();
        match malformed {
            // The counters are updated in the same order as when the answer arrived.
            Some(malformed) => {
                let mut refused: Vec<ToolResult> = refused.iter().take(malformed).cloned().collect();
                self.check_calls(&calls, &mut refused);
            }
            None => {
                for call in &calls {
                    self.count_call(call);
                    self.ledger.count_call(self.config.budget_name(call.name.as_str()));
                }
            }
        }
        self.conversation.push_assistant(message)
    }

    /// Counts a turn whose answer is recorded or was empty.
    fn count_replayed_turn(&mut self) {
        self.progress.turns = self.progress.turns.saturating_add(1);
        self.attempts.clear_discarded();
    }

    fn replay_result(
        &mut self,
        result: ToolResult,
        restored: &mut RestoredState,
    ) -> Result<(), TranscriptError> {
        let (call, status) = (result.call.clone(), result.status);
        let answer = self.transcript().open_answer();
        let name = answer
            .and_then(|answer| answer.calls().find(|made| made.id == call))
            .map(|made| made.name.to_string());
        self.conversation.push_result(result)?;
        // The human is informed before the model continues, also if this process ends first.
        if restored.end_interrupted(&call)
            && status == ResultStatus::EffectsUnknown
            && let Some(name) = name
        {
            self.note_unknown_effects(name);
        }
        let transcript = self.conversation.transcript();
        if transcript.open_answer().is_none()
            && let Some(message) = transcript.messages().last()
        {
            let results = message.parts.iter().filter_map(|part| match part {
                Part::Result(result) => Some(result),
                _ => None,
            });
            let results: Vec<&ToolResult> = results.collect();
            self.progress.end_turn(&results);
        }
        Ok(())
    }

    fn replay_message(
        &mut self,
        source: Option<MessageSource>,
        message: Message,
        restored: &mut RestoredState,
    ) -> Result<(), TranscriptError> {
        let was_queued = self.steering.remove_sent(source, &message);
        let newest = self.transcript().messages().last();
        let is_behind_answer = newest.is_some_and(|newest| newest.role == Role::Assistant);
        match source {
            Some(MessageSource::Nudge) => {
                if !is_behind_answer {
                    // The nudge follows an empty answer, which is not recorded.
                    self.count_replayed_turn();
                }
                self.count_nudge();
            }
            // The refused answer is not recorded.
            Some(MessageSource::Hook) => self.count_replayed_turn(),
            // The message was queued until the end of a task.
            _ if was_queued
                && (is_behind_answer || find_completion(&self.config, self.transcript()).is_some()) =>
            {
                self.progress.forgive();
            }
            _ => {}
        }
        if restored.unsent_reply.as_ref() == Some(&message.text()) {
            restored.unsent_reply = None;
        }
        restored.settle();
        self.only_compacts = false;
        self.conversation.push_user(message)
    }

    fn replay_reply(&mut self, id: Option<InterruptId>, words: Option<String>, restored: &mut RestoredState) {
        // Without an id it is the approval of another run, or an answer in a record before version 6.
        let reason = id.map_or(InterruptReason::Unspecified, |id| id.reason);
        if id.is_some() || self.interrupts.is_open_without_id() {
            self.interrupts.close();
            if matches!(reason, InterruptReason::UnknownEffects | InterruptReason::Unspecified) {
                self.unknown.clear();
            }
        }
        self.apply_reply(reason, words.is_some());
        restored.unsent_reply = words;
    }

    fn replay_end(&mut self, outcome: Outcome, restored: &mut RestoredState) -> Result<(), ResumeError> {
        restored.settle();
        match outcome {
            Outcome::Completed { .. } => return Err(ResumeError::Completed),
            Outcome::Suspended { waits } => {
                for wait in waits {
                    if let Wait::InterruptReply { id, question } = wait {
                        self.interrupts.restore(id, question);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
