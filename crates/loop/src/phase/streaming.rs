//! The phase in which an answer arrives.

mod answer;
mod early;
mod ending;

use windlass_assemble::{Assembler, CallEvent, CallIndex, Options};
use windlass_protocol::ToolCall;
use windlass_stream::Chunk;

use self::early::EarlyChecks;
use crate::core::Core;
use crate::speculative_calls::{SpeculativeCalls, is_harmless};
use crate::transition::Transition;
use crate::{Command, EarlyRefusal, Event, Input};

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
