//! The phase in which an answer arrives.

mod answer;
mod early;
mod failure;

use windlass_assemble::{Assembler, CallEvent, CallIndex, Options};
use windlass_protocol::{Message, Part, StopReason, ToolCall};
use windlass_stream::Chunk;

use self::answer::EndedAnswer;
use self::early::EarlyChecks;
use super::turn;
use crate::core::Core;
use crate::speculative_calls::{SpeculativeCalls, is_harmless};
use crate::transition::Transition;
use crate::{Command, EarlyRefusal, Entry, Event, Input, StopCause, StreamFailure};

/// An answer that arrives.
#[derive(Debug)]
pub(crate) struct Streaming {
    assembler: Assembler,
    /// A buffer that is reused for every chunk.
    events: Vec<CallEvent>,
    early: EarlyChecks,
    speculative: SpeculativeCalls,
}

impl Streaming {
    /// Requests an answer.
    pub(super) fn request(core: &mut Core, delay_ms: u64) -> Self {
        let config = core.config();
        let names = config.tools.iter().map(|tool| tool.spec.name().clone());
        let turn = u64::from(core.progress().turns);
        let options = Options::default().with_turn(turn).with_tools(names).with_repairs(config.repairs);
        let answer = core.request_answer(delay_ms);
        Self {
            assembler: Assembler::new(options),
            events: Vec::new(),
            early: EarlyChecks::new(answer),
            speculative: SpeculativeCalls::new(answer),
        }
    }

    pub(super) fn step(&mut self, core: &mut Core, input: Input) -> Option<Transition> {
        match input {
            Input::Chunk(chunk) => {
                self.push(core, chunk);
                None
            }
            Input::StreamEnd(end) => Some(self.end(core, end)),
            Input::RefusedEarly { answer, key, refusal } => self.refuse_early(core, answer, key, refusal),
            Input::Speculative { answer, call, outcome } if answer == self.speculative.answer() => {
                self.speculative.set_outcome(&call, *outcome);
                None
            }
            Input::Started(call) => {
                self.speculative.mark_running(&call);
                core.show(Event::CallRunning { call });
                None
            }
            Input::Cancel => Some(self.cancel(core)),
            other => {
                core.refuse_input(other);
                None
            }
        }
    }

    fn push(&mut self, core: &mut Core, chunk: Chunk) {
        let text = match &chunk {
            Chunk::Text { text } => Some(Event::Text { text: text.clone() }),
            Chunk::Reasoning { text } => Some(Event::Reasoning { text: text.clone() }),
            _ => None,
        };
        let mut events = std::mem::take(&mut self.events);
        self.assembler.push(chunk, &mut events);
        let checks: Vec<_> = events.iter().filter_map(|event| self.early.follow(event)).collect();
        if let Some(text) = text {
            core.show(text);
        }
        for event in events.drain(..) {
            if let Some((key, call)) = show_call(core, event) {
                self.start_early(core, key, call);
            }
        }
        for check in checks {
            core.emit(check);
        }
        self.events = events;
    }

    /// Starts a complete call while its answer streams, if that is safe.
    fn start_early(&mut self, core: &mut Core, key: CallIndex, call: ToolCall) {
        if self.speculative.is_closed() {
            return;
        }
        let fingerprint = call.fingerprint();
        // A repeated call may be refused, and a call with a used id gets another id.
        let is_new = !core.progress().is_last_call(&fingerprint)
            && !core.transcript().has_call(&call.id)
            && !self.speculative.contains(&fingerprint, &call.id);
        if self.early.streams_before(key) || !is_new || !is_harmless(core.config(), &call) {
            return self.speculative.close();
        }
        self.speculative.push(call.id.clone(), fingerprint);
        core.emit(Command::RunSpeculatively { answer: self.speculative.answer(), call });
    }

    /// Refuses a call that still streams. If every call that streams is refused, the answer is stopped, and
    /// its complete calls run.
    fn refuse_early(
        &mut self,
        core: &mut Core,
        answer: u64,
        key: CallIndex,
        refusal: EarlyRefusal,
    ) -> Option<Transition> {
        let problem = self.early.refuse(answer, key, refusal)?;
        core.show(Event::CallRefusedEarly { key, problem });
        if !self.early.is_hopeless() {
            return None;
        }
        core.emit(Command::CloseStream);
        // The machine itself stopped the answer, so its missing end is not a failure.
        Some(self.take_answer(core).evaluate(core))
    }

    fn end(&mut self, core: &mut Core, end: Result<(), StreamFailure>) -> Transition {
        let ended = self.take_answer(core);
        // An answer whose stream broke off runs no tool (RULES S10): it is void and requested again.
        if let Some(failure) = end.err().or_else(|| failure::failure_of(&ended.answer)) {
            return break_off(core, &ended, &failure);
        }
        // If the window is full, the conversation is shortened and the answer requested again. If it cannot
        // be shortened, the answer counts as one that was cut.
        if ended.answer.stop == Some(StopReason::ContextWindow) && core.shrink() {
            core.count_usage(&ended.answer.usage);
            abandon(core, &ended.speculative);
            core.discard_attempt();
            let reason = "the answer filled the model's window".to_owned();
            core.show(Event::AttemptDiscarded { reason, delay_ms: 0 });
            return Transition::Request { delay_ms: 0 };
        }
        ended.evaluate(core)
    }

    /// Ends the answer with the chunks that have arrived, and leaves an empty one.
    fn take_answer(&mut self, core: &mut Core) -> EndedAnswer {
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(Options::default()));
        let mut early = std::mem::take(&mut self.early);
        let mut events = Vec::new();
        let answer = assembler.finish(&mut events);
        for event in events {
            // The answer has ended, so a check of the event would come too late, and no call starts early.
            let _ = early.follow(&event);
            let is_shown = matches!(&event, CallEvent::Malformed(call) if early.refusal(call.key).is_some());
            if !is_shown {
                let _ = show_call(core, event);
            }
        }
        EndedAnswer::new(answer, early, std::mem::take(&mut self.speculative))
    }

    /// Keeps the text of an answer that was cancelled, and drops its calls.
    fn cancel(&mut self, core: &mut Core) -> Transition {
        core.emit(Command::CloseStream);
        abandon(core, &self.speculative);
        let assembler = std::mem::replace(&mut self.assembler, Assembler::new(Options::default()));
        let answer = assembler.finish(&mut Vec::new());
        core.count_usage(&answer.usage);
        let parts: Vec<_> = answer.parts.into_iter().filter(|part| matches!(part, Part::Text(_))).collect();
        if !parts.is_empty() {
            let message = Message::assistant(parts);
            let entry = Entry::Answered {
                message: message.clone(),
                refused: Vec::new(),
                malformed: None,
                repaired: Vec::new(),
                stop: None,
                usage: answer.usage,
            };
            core.record_answer(message, entry);
        }
        Transition::stop(StopCause::Cancelled)
    }
}

/// Handles an answer that broke off: changes the request if the failure shows how, and otherwise repeats it.
fn break_off(core: &mut Core, ended: &EndedAnswer, failure: &StreamFailure) -> Transition {
    // The provider also charges for an answer that broke off (RULES H10).
    core.count_usage(&ended.answer.usage);
    abandon(core, &ended.speculative);
    core.discard_attempt();
    if core.change_request(failure) {
        return Transition::Request { delay_ms: 0 };
    }
    turn::retry(core, failure)
}

/// Stops the early calls of a void answer.
fn abandon(core: &mut Core, calls: &SpeculativeCalls) {
    if !calls.is_empty() {
        core.emit(Command::AbandonSpeculative { answer: calls.answer() });
    }
}

/// Shows the progress of a call, and returns the call if it is complete.
fn show_call(core: &mut Core, event: CallEvent) -> Option<(CallIndex, ToolCall)> {
    match event {
        CallEvent::Started { key, name, .. } => core.show(Event::CallStarted { key, name }),
        CallEvent::Arguments { key, delta } => core.show(Event::CallArguments { key, delta }),
        CallEvent::Finished { key, call, notes } => {
            if !notes.repairs.is_empty() {
                core.show(Event::CallRepaired { key, repairs: notes.repairs });
            }
            core.show(Event::CallFinished { key, call: call.clone() });
            return Some((key, call));
        }
        CallEvent::Malformed(call) => {
            core.show(Event::CallMalformed { key: call.key, problem: call.reason.to_string() });
        }
        _ => {}
    }
    None
}
