//! Going on with a run from its record.

use std::collections::{BTreeMap, BTreeSet};

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, Control, Message, Part, PlannedFile, ToolCall, ToolResult, Usage};

use crate::ahead::AheadCalls;
use crate::execution::{State, completion_text};
use crate::machine::{Machine, Phase};
use crate::{Config, Effect, Entry, Event, Outcome, Transcript, TranscriptError, words};

/// Why a run cannot go on from its record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The record has no beginning.
    #[error("the record does not begin with the start of a run")]
    NotStarted,
    /// The record is of a later version of this program.
    #[error("the record has version {version}, this program reads up to {}", Entry::VERSION)]
    Version {
        /// The record's version.
        version: u32,
    },
    /// The run is over.
    #[error("the run is completed; there is nothing to go on with")]
    Completed,
    /// The record contradicts itself.
    #[error("entry {position} of the record does not fit the ones before")]
    Contradiction {
        /// The entry, from 0.
        position: usize,
        /// Why.
        source: TranscriptError,
    },
}

/// A question that another process put.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) request: Box<ApprovalRequest>,
    /// How it ended, if it did.
    pub(crate) outcome: Option<ApprovalOutcome>,
}

/// What a record says about the answer that was open when it ends.
#[derive(Default)]
struct Open {
    begun: BTreeSet<CallId>,
    deferred: BTreeSet<CallId>,
    planned: BTreeMap<CallId, Vec<PlannedFile>>,
    refused: Vec<ToolResult>,
    /// The mode on record.
    mode: Option<String>,
}

impl Machine {
    /// Goes on with a run from its record, in this process or another.
    ///
    /// A call whose result is recorded never runs again. Of a call that had begun and has no result, the files say
    /// whether it was done, where changing files is all that it does; one that only reads runs again; else its result is
    /// `effects_unknown` (RULES R6). A call that had not begun is judged again, and a human's yes to it still counts if
    /// nothing of what was shown has changed.
    ///
    /// # Errors
    /// If the record is not of a run, is of a later version, contradicts itself, or the run is completed.
    pub fn resume(
        config: Config,
        entries: impl IntoIterator<Item = Entry>,
        now_ms: u64,
    ) -> Result<(Self, Vec<Effect>), ResumeError> {
        let mut machine = Self::new(config);
        machine.now_ms = now_ms;
        let mut entries = entries.into_iter().enumerate();
        let task = match entries.next() {
            Some((_, Entry::Started { version, task, protocol, run })) if version <= Entry::VERSION => {
                machine.protocols.restore(protocol);
                if !run.is_empty() {
                    machine.config.run = run;
                }
                task
            }
            Some((_, Entry::Started { version, .. })) => return Err(ResumeError::Version { version }),
            _ => return Err(ResumeError::NotStarted),
        };
        let mut open = Open::default();
        let mut entries = entries.peekable();
        if let Some((_, Entry::Imported { messages })) =
            entries.next_if(|(_, entry)| matches!(entry, Entry::Imported { .. }))
        {
            // It was mended when it came in, so that there is nothing to mend now.
            machine.transcript =
                Transcript::import(messages.iter().cloned()).transcript.counted_by(machine.config.tokenizer);
        }
        machine.say(task);
        for (position, entry) in entries {
            let fits = machine.replay(entry, &mut open)?;
            fits.map_err(|source| ResumeError::Contradiction { position, source })?;
        }
        machine.generation = machine.generation.saturating_add(1);
        machine.want(Effect::Record(Entry::Resumed { generation: machine.generation }));
        machine.record_mode(open.mode.as_deref());
        machine.go_on(open);
        let effects = machine.take_effects();
        Ok((machine, effects))
    }

    fn replay(&mut self, entry: Entry, open: &mut Open) -> Result<Result<(), TranscriptError>, ResumeError> {
        match entry {
            Entry::Answered { message, refused, usage, .. } => {
                self.count_usage(&usage);
                self.spent.requests = self.spent.requests.saturating_add(1);
                self.meter.learn(self.transcript.size(), &usage);
                self.progress.turns = self.progress.turns.saturating_add(1);
                self.protocols.lock();
                self.carried.clear();
                *open = Open { refused, mode: open.mode.take(), ..Open::default() };
                for call in message.calls() {
                    self.progress.count(call);
                    self.spent.count(call);
                }
                return Ok(self.transcript.answer(message));
            }
            Entry::Result { result } => return Ok(self.replay_result(result)),
            Entry::Said { message } => {
                self.steering.said(&message);
                return Ok(self.transcript.say(message));
            }
            Entry::Resumed { generation } => self.generation = generation,
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
            Entry::Intent { call } => drop(open.begun.insert(call)),
            Entry::Deferred { call } => drop(open.deferred.insert(call)),
            Entry::Queued { text, when } => self.steering.queue(text, when),
            Entry::Compacted { pruned, until, note, usage } => {
                // Where nothing was summed up, nobody was asked.
                if usage != Usage::default() {
                    self.count_usage(&usage);
                }
                self.transcript.leave_out(&pruned, until, note.as_deref());
            }
            Entry::Shared { used } => self.others.restore(used),
            Entry::Guided { words } => self.guided(words.is_some()),
            Entry::Finished { outcome: Outcome::Completed { .. } } => return Err(ResumeError::Completed),
            _ => {}
        }
        Ok(Ok(()))
    }

    fn replay_result(&mut self, result: ToolResult) -> Result<(), TranscriptError> {
        self.transcript.result(result)?;
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

    /// Fills the gaps of the answer that was open, or asks the model if none was.
    fn go_on(&mut self, mut open: Open) {
        let waiting: Vec<CallId> = self.transcript.waiting().cloned().collect();
        let calls: Vec<ToolCall> = self
            .transcript
            .open_answer()
            .map(|answer| answer.calls().filter(|call| waiting.contains(&call.id)).cloned().collect())
            .unwrap_or_default();
        if calls.is_empty() {
            return match self.accepted_completion() {
                Some(text) => self.complete(text, false),
                None => self.next_turn_after_resume(),
            };
        }
        for call in &calls {
            self.show(Event::CallTakenUp { call: call.clone() });
        }
        self.open_slots(calls.clone(), &AheadCalls::default());
        for result in open.refused.drain(..).filter(|result| waiting.contains(&result.call)) {
            self.end_call(result);
        }
        for call in calls {
            self.reopen(call, &mut open);
        }
        self.advance();
    }

    /// What becomes of a call that has no result on record.
    fn reopen(&mut self, call: ToolCall, open: &mut Open) {
        let hints = self.config.hints(call.name.as_str());
        // Reading, and saying that the task is done, change nothing.
        let runs_again = hints.read_only || hints.control == Control::Completion;
        // What keeps its own record goes on from there when it is made again, and may have more to wait for.
        let runs_again = runs_again || hints.resumable;
        if open.deferred.contains(&call.id) && !hints.resumable {
            self.set(&call.id, State::Running);
            self.want(Effect::Collect(call));
        } else if !open.begun.contains(&call.id) || runs_again {
            // It is judged again: the world may be another.
        } else if let Some(planned) = open.planned.remove(&call.id).filter(|planned| !planned.is_empty()) {
            self.set(&call.id, State::LookingBack);
            self.want(Effect::LookBack { call, planned });
        } else {
            self.effects_unknown(&call.id, words::EFFECTS_UNKNOWN);
        }
    }

    /// What the model said about the task, if its completion is the last thing on record and was accepted.
    fn accepted_completion(&self) -> Option<String> {
        let mut newest = self.transcript.messages().iter().rev();
        let (results, answer) = (newest.next()?, newest.next()?);
        let call = answer.calls().last()?;
        let is_completion = self.config.hints(call.name.as_str()).control == Control::Completion;
        let accepted = results.parts.iter().any(
            |part| matches!(part, Part::Result(result) if result.call == call.id && result.status.is_ok()),
        );
        (is_completion && accepted).then(|| completion_text(call))
    }

    fn next_turn_after_resume(&mut self) {
        self.phase = Phase::Idle;
        let limit = self.config.limits.mistakes;
        if limit > 0 && self.progress.mistakes >= limit {
            return self.consult(words::mistakes(self.progress.mistakes));
        }
        // The last word has to be the human's or a tool's: an answer that was stopped in mid-sentence is
        // followed by a nudge.
        let ends_with_answer = self
            .transcript
            .messages()
            .last()
            .is_some_and(|message: &Message| message.role == windlass_protocol::Role::Assistant);
        if ends_with_answer {
            self.tell_model(words::GO_ON);
        }
        self.next_turn();
    }
}
