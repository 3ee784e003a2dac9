//! The phase in which an answer arrives.

mod broken;
mod call_ids;
mod early;
mod early_calls;
mod ending;

use windlass_assemble::{AssembleOptions, Assembler, CallEvent, CallIndex};
use windlass_protocol::ToolCall;
use windlass_stream::Chunk;

use self::call_ids::CallIds;
use self::early::EarlyChecks;
use crate::core::Core;
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Event, Input};

/// The kinds of text in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenText {
    Words,
    Reasoning,
}

/// An answer that arrives.
#[derive(Debug)]
pub(crate) struct Streaming {
    assembler: Assembler,
    /// A buffer that is reused for every chunk.
    events: Vec<CallEvent>,
    ids: CallIds,
    /// The kind of text whose end has not been shown.
    open_text: Option<OpenText>,
    early: EarlyChecks,
    speculative: SpeculativeCalls,
}

impl Streaming {
    /// Requests an answer.
    pub(super) fn request(core: &mut Core, delay_ms: u64) -> Self {
        let config = core.config();
        let names = config.tools.iter().map(|tool| tool.spec.name().clone());
        let turn = u64::from(core.progress().turns);
        let options =
            AssembleOptions::default().with_turn(turn).with_tools(names).with_repairs(config.repairs);
        let answer = core.request_answer(delay_ms);
        Self {
            assembler: Assembler::new(options),
            events: Vec::new(),
            ids: CallIds::default(),
            open_text: None,
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
        core.note_model(&chunk);
        self.show_text(core, &chunk);
        let mut events = std::mem::take(&mut self.events);
        self.assembler.push(chunk, &mut events);
        let checks: Vec<_> = events.iter().filter_map(|event| self.early.follow(event)).collect();
        for event in events.drain(..) {
            if let Some((key, call)) = self.show_call(core, event) {
                self.start_early(core, key, call);
            }
        }
        for check in checks {
            core.emit(check);
        }
        self.events = events;
    }

    /// Shows the text of a chunk, and the end of the text before it.
    fn show_text(&mut self, core: &mut Core, chunk: &Chunk) {
        match chunk {
            Chunk::Text { text } => {
                self.open_text(core, OpenText::Words);
                core.show(Event::Text { text: text.clone() });
            }
            Chunk::Reasoning { text } => {
                self.open_text(core, OpenText::Reasoning);
                core.show(Event::Reasoning { text: text.clone() });
            }
            Chunk::HostedCall(call) => {
                self.close_text(core);
                core.show(Event::HostedCall { call: call.clone() });
            }
            Chunk::HostedResult(result) => {
                self.close_text(core);
                core.show(Event::HostedResult { result: result.clone() });
            }
            Chunk::TextEnd { .. } | Chunk::ReasoningEnd { .. } | Chunk::Call(_) | Chunk::Finish { .. } => {
                self.close_text(core);
            }
            _ => {}
        }
    }

    fn open_text(&mut self, core: &mut Core, kind: OpenText) {
        if self.open_text != Some(kind) {
            self.close_text(core);
            self.open_text = Some(kind);
        }
    }

    /// Shows the end of the text that is open.
    fn close_text(&mut self, core: &mut Core) {
        match self.open_text.take() {
            Some(OpenText::Words) => core.show(Event::TextEnded),
            Some(OpenText::Reasoning) => core.show(Event::ReasoningEnded),
            None => {}
        }
    }

    /// Shows the progress of a call, and returns the call under its chosen id if it is complete.
    fn show_call(&mut self, core: &mut Core, event: CallEvent) -> Option<(CallIndex, ToolCall)> {
        match event {
            CallEvent::Started { key, id, name } => {
                let call = self.ids.choose(core, key, id.as_ref());
                core.show(Event::CallStarted { call, name });
            }
            CallEvent::Arguments { key, delta } => {
                let call = self.ids.choose(core, key, None);
                core.show(Event::CallArguments { call, delta });
            }
            CallEvent::Finished { key, mut call, notes } => {
                call.id = self.ids.settle(core, key, &call.id);
                if !notes.repairs.is_empty() {
                    core.show(Event::CallRepaired { call: call.id.clone(), repairs: notes.repairs });
                }
                core.show(Event::CallFinished { call: call.clone() });
                return Some((key, call));
            }
            CallEvent::Malformed(malformed) => {
                let call = self.ids.settle(core, malformed.key, &malformed.id);
                core.show(Event::CallMalformed { call, problem: malformed.reason.to_string() });
            }
            _ => {}
        }
        None
    }
}
