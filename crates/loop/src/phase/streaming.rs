//! The phase in which an answer arrives.

mod broken;
mod early;
mod early_calls;
mod ending;

use windlass_assemble::{Assembler, CallEvent, CallIndex, Options};
use windlass_protocol::ToolCall;
use windlass_stream::Chunk;

use self::early::EarlyChecks;
use crate::core::Core;
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Event, Input};

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
