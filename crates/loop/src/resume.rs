//! Going on with a run from its record.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, Control, Message, Part, Role, ToolCall};

use crate::ahead::AheadCalls;
use crate::budget::Spent;
use crate::execution::{State, completion_text};
use crate::machine::{Machine, Phase};
use crate::replay::{LastAnswer, Open};
use crate::{Config, Effect, Entry, Event, Matter, MessageSource, Transcript, TranscriptError, words};

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
            Some((_, Entry::Started { version, task, protocol, run, .. })) if version <= Entry::VERSION => {
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
        machine.spent = Spent::since(now_ms);
        let fits = machine.transcript.begin_task(task);
        fits.map_err(|source| ResumeError::Contradiction { position: 0, source })?;
        for (position, entry) in entries {
            let fits = machine.replay(entry, &mut open)?;
            fits.map_err(|source| ResumeError::Contradiction { position, source })?;
        }
        // All that was counted so far is on record.
        machine.unrecorded = None;
        machine.generation = machine.generation.saturating_add(1);
        machine.want(Effect::Record(Entry::Resumed { generation: machine.generation }));
        machine.record_mode(open.mode.as_deref());
        machine.go_on(open);
        let effects = machine.take_effects();
        Ok((machine, effects))
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
            return self.go_on_between_answers(open.last);
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
    pub(crate) fn accepted_completion(&self) -> Option<String> {
        let mut newest = self.transcript.messages().iter().rev();
        let (results, answer) = (newest.next()?, newest.next()?);
        let call = answer.calls().last()?;
        let is_completion = self.config.hints(call.name.as_str()).control == Control::Completion;
        let accepted = results.parts.iter().any(
            |part| matches!(part, Part::Result(result) if result.call == call.id && result.status.is_ok()),
        );
        (is_completion && accepted).then(|| completion_text(call))
    }

    /// Goes on where no call is open: with what the machine would have done next, had its process not ended.
    fn go_on_between_answers(&mut self, last: Option<LastAnswer>) {
        self.phase = Phase::Idle;
        if let Some(words) = self.unsaid.take() {
            self.tell_model(MessageSource::Guidance, &words);
            return self.next_turn();
        }
        if let Some(text) = self.accepted_completion() {
            return self.complete(text, false);
        }
        let mistakes = self.progress.mistakes;
        if is_reached(self.config.limits.mistakes, mistakes) {
            return self.consult(Matter::Mistakes, words::mistakes(mistakes));
        }
        let newest = self.transcript.messages().last();
        let is_answer = newest.is_some_and(|message: &Message| message.role == Role::Assistant);
        if !is_answer {
            return self.next_turn();
        }
        match last {
            // Why the model stopped is on record, and what comes of it is not.
            Some(LastAnswer { stop: Some(stop), has_words, is_settled: false }) => {
                self.no_call(has_words, Some(&stop));
            }
            _ if is_reached(self.config.limits.nudges, self.progress.nudges) => {
                self.consult(Matter::Mistakes, words::nudged(self.progress.nudges));
            }
            // The last word has to be the human's or a tool's.
            _ => {
                self.tell_model(MessageSource::Continuation, words::GO_ON);
                self.next_turn();
            }
        }
    }
}

fn is_reached(limit: u32, count: u32) -> bool {
    limit > 0 && count >= limit
}
