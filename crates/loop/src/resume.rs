//! Going on with a run from its record.

use std::collections::BTreeSet;

use windlass_protocol::{CallId, Control, Message, Part, ResultStatus, ToolCall, ToolResult};

use crate::ahead::AheadCalls;
use crate::execution::completion_text;
use crate::machine::{Machine, Phase};
use crate::{Config, Effect, Entry, Outcome, TranscriptError, words};

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

/// What a record says about the answer that was open when it ends.
#[derive(Default)]
struct Open {
    begun: BTreeSet<CallId>,
    refused: Vec<ToolResult>,
    /// The mode on record.
    mode: Option<String>,
}

impl Machine {
    /// Goes on with a run from its record, in this process or another.
    ///
    /// A call whose result is recorded never runs again. A call that had begun and has no result runs again
    /// only if it changes nothing; else its result is `effects_unknown` (RULES R6). A call that had not begun is
    /// judged again.
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
        match entries.next() {
            Some((_, Entry::Started { version, task, protocol })) if version <= Entry::VERSION => {
                machine.protocols.restore(protocol);
                machine.say(task);
            }
            Some((_, Entry::Started { version, .. })) => return Err(ResumeError::Version { version }),
            _ => return Err(ResumeError::NotStarted),
        }
        let mut open = Open::default();
        for (position, entry) in entries {
            let fits = machine.replay(entry, &mut open)?;
            fits.map_err(|source| ResumeError::Contradiction { position, source })?;
        }
        machine.record_mode(open.mode.as_deref());
        machine.go_on(open);
        let effects = machine.take_effects();
        Ok((machine, effects))
    }

    fn replay(&mut self, entry: Entry, open: &mut Open) -> Result<Result<(), TranscriptError>, ResumeError> {
        Ok(match entry {
            Entry::Answered { message, refused, usage, .. } => {
                self.usage.add(&usage);
                self.progress.turns = self.progress.turns.saturating_add(1);
                self.protocols.lock();
                *open = Open { begun: BTreeSet::new(), refused, mode: open.mode.take() };
                self.transcript.answer(message)
            }
            Entry::Protocol { protocol } => {
                self.protocols.restore(protocol);
                Ok(())
            }
            Entry::Mode { mode } => {
                open.mode = Some(mode);
                Ok(())
            }
            Entry::Said { message } => self.transcript.say(message),
            Entry::Intent { call } => {
                open.begun.insert(call);
                Ok(())
            }
            Entry::Result { result } => self.transcript.result(result),
            Entry::Finished { outcome: Outcome::Completed { .. } } => return Err(ResumeError::Completed),
            _ => Ok(()),
        })
    }

    /// Fills the gaps of the answer that was open, or asks the model if none was.
    fn go_on(&mut self, open: Open) {
        let waiting: Vec<CallId> = self.transcript.waiting().cloned().collect();
        let calls: Vec<ToolCall> = self
            .transcript
            .open_answer()
            .map(|answer| answer.calls().filter(|call| waiting.contains(&call.id)).cloned().collect())
            .unwrap_or_default();
        if calls.is_empty() {
            return match self.accepted_completion() {
                Some(text) => self.end(Outcome::Completed { text }),
                None => self.next_turn_after_resume(),
            };
        }
        let mut refused: Vec<ToolResult> =
            open.refused.into_iter().filter(|result| waiting.contains(&result.call)).collect();
        for call in &calls {
            let hints = self.config.hints(call.name.as_str());
            // Reading, and saying that the task is done, change nothing.
            let runs_again = hints.read_only || hints.control == Control::Completion;
            if open.begun.contains(&call.id) && !runs_again {
                refused.push(ToolResult::text(
                    call.id.clone(),
                    ResultStatus::EffectsUnknown,
                    words::EFFECTS_UNKNOWN,
                ));
            }
        }
        self.execute(calls, refused, AheadCalls::default());
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
