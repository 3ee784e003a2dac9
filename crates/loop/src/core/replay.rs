//! The replay of a record: each entry restores the conversation, the counters, and the state of the open
//! answer.

use std::collections::{BTreeMap, BTreeSet};

use windlass_protocol::{
    CallId, Message, Part, PlannedFile, ResultStatus, Role, StopReason, ToolCall, ToolResult, Usage,
};

use crate::machine::Machine;
use crate::machine::resume::{Carried, ResumeError};
use crate::{ConsultationId, Entry, Matter, MessageSource, Outcome, TranscriptError, UnknownEffects, Wait};

/// The recorded state of the newest answer and its calls.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) begun: BTreeSet<CallId>,
    pub(crate) deferred: BTreeSet<CallId>,
    pub(crate) planned: BTreeMap<CallId, Vec<PlannedFile>>,
    pub(crate) refused: Vec<ToolResult>,
    /// The recorded mode.
    pub(crate) mode: Option<String>,
    /// Calls that ran when their process ended.
    cut_off: BTreeSet<CallId>,
    pub(crate) last: Option<LastAnswer>,
}

/// The end of the newest answer, from which the next step follows.
pub(crate) struct LastAnswer {
    pub(crate) stop: Option<StopReason>,
    pub(crate) has_words: bool,
    /// True if the record contains the consequence of the answer.
    pub(crate) is_settled: bool,
}

impl Machine {
    pub(crate) fn replay(
        &mut self,
        entry: Entry,
        open: &mut Open,
    ) -> Result<Result<(), TranscriptError>, ResumeError> {
        match entry {
            Entry::Answered { message, refused, malformed, stop, usage, .. } => {
                self.count_usage(&usage);
                let last = LastAnswer { stop, has_words: !message.text().is_empty(), is_settled: false };
                *open = Open { refused, mode: open.mode.take(), last: Some(last), ..Open::default() };
                return Ok(self.replay_answer(message, &usage, &open.refused, malformed));
            }
            Entry::Result { result } => return Ok(self.replay_result(result, open)),
            Entry::Said { source, message } => return Ok(self.replay_message(source, message, open)),
            Entry::Resumed { generation } => {
                self.generation = generation;
                open.cut_off = open.begun.difference(&open.deferred).cloned().collect();
            }
            Entry::Protocol { protocol } => self.protocols.restore(protocol),
            Entry::Mode { mode } => open.mode = Some(mode),
            Entry::Judged { call, facts: Some(facts), .. } => {
                open.planned.insert(call, facts.planned);
            }
            Entry::Asked { request } => {
                self.carried.insert(request.call.id.clone(), Carried { request, outcome: None });
            }
            Entry::Approval { call, outcome } => {
                if let Some(carried) = self.carried.get_mut(&call) {
                    carried.outcome = Some(outcome);
                }
            }
            Entry::Intent { call } => {
                open.cut_off.remove(&call);
                open.begun.insert(call);
            }
            Entry::Deferred { call } => drop(open.deferred.insert(call)),
            Entry::Queued { id, text, when } => self.steering.queue(id, text, when),
            Entry::Discarded { usage } => {
                self.discarded = self.discarded.saturating_add(1);
                if let Some(usage) = usage {
                    self.count_usage(&usage);
                }
            }
            Entry::Compacted { pruned, until, kept, note, summarized, usage } => {
                // Before version 6 only the tokens show that the model was asked for a summary.
                if summarized || usage != Usage::default() {
                    self.count_usage(&usage);
                    self.spent.requests = self.spent.requests.saturating_add(1);
                    self.discarded = 0;
                }
                self.transcript.leave_out(&pruned, until, kept.unwrap_or(0), note.as_deref());
            }
            Entry::ImagesRemoved { messages, reason } => {
                self.transcript.replace_images(&messages, &reason);
            }
            Entry::Shared { used } => self.others.restore(used),
            Entry::Consulted { id, question } => self.consultations.restore(id, question),
            Entry::Guided { id, words } => self.replay_guidance(id, words),
            Entry::Finished { outcome } => return self.replay_end(outcome, open).map(Ok),
            _ => {}
        }
        Ok(Ok(()))
    }

    fn replay_answer(
        &mut self,
        message: Message,
        usage: &Usage,
        refused: &[ToolResult],
        malformed: Option<usize>,
    ) -> Result<(), TranscriptError> {
        self.count_turn();
        self.meter.learn(self.transcript.size(), usage);
        self.protocols.lock();
        self.carried.clear();
        self.consultations.close();
        self.unsaid = None;
        self.unknown.clear();
        let calls: Vec<ToolCall> = message.calls().cloned().collect();
        match malformed {
            // The counters are updated in the same order as when the answer arrived.
            Some(malformed) => {
                let mut refused: Vec<ToolResult> = refused.iter().take(malformed).cloned().collect();
                refused.extend(self.repeats_of(&calls, &refused));
                refused.extend(self.after_last(&calls, &refused));
                self.over_budget(&calls, &refused);
            }
            None => {
                for call in &calls {
                    self.count_call(call);
                    self.spent.count(self.config.counted_as(call.name.as_str()));
                }
            }
        }
        self.transcript.answer(message)
    }

    /// Counts a turn whose answer is recorded or was empty.
    fn count_turn(&mut self) {
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.progress.turns = self.progress.turns.saturating_add(1);
        self.discarded = 0;
    }

    fn replay_result(&mut self, result: ToolResult, open: &mut Open) -> Result<(), TranscriptError> {
        let (call, status) = (result.call.clone(), result.status);
        let answer = self.transcript.open_answer();
        let name = answer
            .and_then(|answer| answer.calls().find(|made| made.id == call))
            .map(|made| made.name.to_string());
        self.transcript.result(result)?;
        open.begun.remove(&call);
        // The human is informed before the model continues, also if this process ends first.
        if open.cut_off.remove(&call)
            && status == ResultStatus::EffectsUnknown
            && self.config.unknown_effects == UnknownEffects::AskHuman
        {
            self.unknown.extend(name);
        }
        if self.transcript.open_answer().is_none()
            && let Some(message) = self.transcript.messages().last()
        {
            let results = message.parts.iter().filter_map(|part| match part {
                Part::Result(result) => Some(result),
                _ => None,
            });
            let results: Vec<&ToolResult> = results.collect();
            self.progress.judge_turn(&results);
        }
        Ok(())
    }

    fn replay_message(
        &mut self,
        source: Option<MessageSource>,
        message: Message,
        open: &mut Open,
    ) -> Result<(), TranscriptError> {
        let was_queued = self.steering.said(source, &message);
        let newest = self.transcript.messages().last();
        let is_behind_answer = newest.is_some_and(|newest| newest.role == Role::Assistant);
        match source {
            Some(MessageSource::Nudge) => {
                if !is_behind_answer {
                    // The nudge follows an empty answer, which is not recorded.
                    self.count_turn();
                }
                self.progress.nudges = self.progress.nudges.saturating_add(1);
            }
            // The message was queued until the end of a task.
            _ if was_queued && (is_behind_answer || self.accepted_completion().is_some()) => {
                self.progress.forgive();
            }
            _ => {}
        }
        if self.unsaid.as_ref() == Some(&message.text()) {
            self.unsaid = None;
        }
        if let Some(last) = &mut open.last {
            last.is_settled = true;
        }
        self.transcript.say(message)
    }

    fn replay_guidance(&mut self, id: Option<ConsultationId>, words: Option<String>) {
        // Without an id it is the approval of another run, or an answer in a record before version 6.
        let matter = id.map_or(Matter::Unspecified, |id| id.matter);
        if id.is_some() || self.consultations.is_open_without_id() {
            self.consultations.close();
            if matches!(matter, Matter::UnknownEffects | Matter::Unspecified) {
                self.unknown.clear();
            }
        }
        self.guided(matter, words.is_some());
        self.unsaid = words;
    }

    fn replay_end(&mut self, outcome: Outcome, open: &mut Open) -> Result<(), ResumeError> {
        if let Some(last) = &mut open.last {
            last.is_settled = true;
        }
        match outcome {
            Outcome::Completed { .. } => return Err(ResumeError::Completed),
            Outcome::Suspended { waits } => {
                for wait in waits {
                    if let Wait::Guidance { id, question } = wait {
                        self.consultations.restore(id, question);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
