//! The phase in which the model sums up the turns that are to go.

use windlass_assemble::{Answer, Assembler, Options};
use windlass_protocol::{Message, ToolChoice};
use windlass_stream::Chunk;

use crate::machine::{Machine, Phase};
use crate::{Effect, Event, StreamFailure, words};

/// A summary that arrives.
#[derive(Debug)]
pub(crate) struct Condensing {
    assembler: Assembler,
    /// The first message that stays.
    until: usize,
    /// How many tokens there were.
    before: u64,
}

impl Machine {
    /// Asks the model to sum up what was said before a message. The request begins as all others do, so that the
    /// provider's cache has most of it.
    pub(super) fn sum_up(&mut self, until: usize, before: u64) {
        let mut messages = self.transcript.messages().clone();
        messages.push(Message::user(words::SUM_UP));
        let mut request = self.config.request(messages);
        request.tool_choice = ToolChoice::None;
        self.phase = Phase::Condensing(Box::new(Condensing {
            assembler: Assembler::new(Options::default()),
            until,
            before,
        }));
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.show(Event::ContextCondensing);
        let protocol = self.protocols.current();
        self.want(Effect::Send { request: Box::new(request), protocol, delay_ms: 0 });
    }

    pub(crate) fn condensing_chunk(&mut self, chunk: Chunk) {
        if let Phase::Condensing(condensing) = &mut self.phase {
            // What it calls in its summary is not run, and not shown.
            condensing.assembler.push(chunk, &mut Vec::new());
        }
    }

    /// The summary is there, or none came: without one the turns are left out all the same, for there is no room.
    pub(crate) fn condensed(&mut self, condensing: Condensing, end: Result<(), StreamFailure>) {
        let Condensing { assembler, until, before } = condensing;
        let answer = assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
        let summary = end.ok().and_then(|()| summary_of(&answer));
        self.leave_out(&[], until, Some(&words::left_out(summary.as_deref())), answer.usage);
        let (after, messages) = (self.context_tokens(), until.saturating_sub(1));
        self.show(Event::ContextCompacted { before, after, results: 0, messages, usage: answer.usage });
        self.tell_fill();
        self.ask_model();
    }
}

/// The words of an answer that came to its end.
fn summary_of(answer: &Answer) -> Option<String> {
    let text = Message::assistant(answer.parts.clone()).text();
    let is_whole = answer.error.is_none() && !text.trim().is_empty();
    is_whole.then(|| text.trim().to_owned())
}
