//! The resumption of a run from its record.

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{CallId, Control, Message, Part, Role, ToolCall};

use crate::budget::Spent;
use crate::core::replay::{LastAnswer, Open};
use crate::machine::{Machine, Phase};
use crate::phase::executing::{State, completion_text};
use crate::speculative_calls::AheadCalls;
use crate::{Config, Effect, Entry, Event, Matter, MessageSource, Transcript, TranscriptError, words};

/// The reason that a run cannot be resumed from its record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The record does not begin with the start of a run.
    #[error("the record does not begin with the start of a run")]
    NotStarted,
    /// The record was written by a later version of this library.
    #[error("the record has version {version}, this program reads up to {}", Entry::VERSION)]
    Version {
        /// The version of the record.
        version: u32,
    },
    /// The run is completed.
    #[error("the run is completed; there is nothing to go on with")]
    Completed,
    /// An entry contradicts the entries before it.
    #[error("entry {position} of the record does not fit the ones before")]
    Contradiction {
        /// The position of the entry, from 0.
        position: usize,
        /// The conversation's reason to refuse the entry.
        source: TranscriptError,
    },
}

/// An approval request that an earlier process sent.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) request: Box<ApprovalRequest>,
    /// The outcome of the request, if one is recorded.
    pub(crate) outcome: Option<ApprovalOutcome>,
}

impl Machine {
    /// Resumes a run from its record, in this process or another. Returns the machine and the first effects
    /// to execute.
    ///
    /// A call with a recorded result never runs again. For a call that started and has no result, the
    /// following applies (RULES R6):
    /// - A read-only call, a completion or a resumable call is judged and runs again.
    /// - A call whose only effect is a recorded plan to change files is compared with the files; a call that
    ///   changed nothing is judged again.
    /// - Every other call gets the result `effects_unknown`.
    ///
    /// A call that did not start is judged again. A recorded approval still counts if the new approval
    /// request has the same digest. A call that continues outside the process is collected with
    /// [`Effect::Collect`].
    ///
    /// # Errors
    /// Returns an error if the record does not belong to a run, has a later version or contradicts itself, or
    /// if the run is completed.
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
            // The conversation was repaired when it was imported, so this import repairs nothing.
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
        // Everything that was counted until now is in the record.
        machine.unrecorded = None;
        machine.generation = machine.generation.saturating_add(1);
        machine.want(Effect::Record(Entry::Resumed { generation: machine.generation }));
        machine.record_mode(open.mode.as_deref());
        machine.go_on(open);
        let effects = machine.take_effects();
        Ok((machine, effects))
    }

    /// Continues with the calls of the open answer, or between two answers if none is open.
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

    /// Decides how a call without a recorded result continues.
    fn reopen(&mut self, call: ToolCall, open: &mut Open) {
        let hints = self.config.hints(call.name.as_str());
        // A read-only call and a completion change nothing.
        let runs_again = hints.read_only || hints.control == Control::Completion;
        // A resumable call keeps its own record and continues from it.
        let runs_again = runs_again || hints.resumable;
        if open.deferred.contains(&call.id) && !hints.resumable {
            self.set(&call.id, State::Running);
            self.want(Effect::Collect(call));
        } else if !open.begun.contains(&call.id) || runs_again {
            // The state stays `Held`: policy judges the call again, because the conditions may have changed.
        } else if let Some(planned) = open.planned.remove(&call.id).filter(|planned| !planned.is_empty()) {
            self.set(&call.id, State::LookingBack);
            self.want(Effect::LookBack { call, planned });
        } else {
            self.effects_unknown(&call.id, words::EFFECTS_UNKNOWN);
        }
    }

    /// Returns the text of the completion if the last recorded call is an accepted completion.
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

    /// Continues a run without an open call at the point where its process ended.
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
            // The record contains the end of the answer, but not its consequence.
            Some(LastAnswer { stop: Some(stop), has_words, is_settled: false }) => {
                self.no_call(has_words, Some(&stop));
            }
            _ if is_reached(self.config.limits.nudges, self.progress.nudges) => {
                self.consult(Matter::Mistakes, words::nudged(self.progress.nudges));
            }
            // A request must end with a message of the human or a result.
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
