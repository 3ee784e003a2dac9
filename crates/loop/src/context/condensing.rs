//! The phase in which the model sums up the turns that are to go.

use windlass_assemble::{Answer, Assembler, Ending, Options};
use windlass_protocol::{Message, StopReason, ToolChoice};
use windlass_stream::Chunk;

use super::compaction::Cut;
use crate::machine::{Machine, Phase};
use crate::streaming::BACKOFF_MS;
use crate::{Effect, Event, StreamFailure, words};

/// How often a summary is asked for before turns are left out without one.
const ATTEMPTS: u32 = 2;

/// A summary that arrives.
#[derive(Debug)]
pub(crate) struct Condensing {
    assembler: Assembler,
    plan: Plan,
}

/// What a summary is for.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The first message that stays.
    until: usize,
    /// How many tokens there were.
    before: u64,
    /// Which attempt this is, from 1.
    attempt: u32,
}

impl Machine {
    /// Asks the model to sum up what was said before a message. The request begins as all others do, so that the
    /// provider's cache has most of it.
    pub(super) fn sum_up(&mut self, until: usize, before: u64) {
        self.begin_attempts();
        self.spent.requests = self.spent.requests.saturating_add(1);
        self.show(Event::ContextCondensing);
        self.ask_for_summary(Plan { until, before, attempt: 1 }, 0);
    }

    fn ask_for_summary(&mut self, plan: Plan, delay_ms: u64) {
        let mut messages = self.transcript.messages().clone();
        messages.push(Message::user(words::SUM_UP));
        let mut request = self.config.request(messages);
        request.tool_choice = ToolChoice::None;
        let assembler = Assembler::new(Options::default());
        self.phase = Phase::Condensing(Box::new(Condensing { assembler, plan }));
        self.sent = self.sent.saturating_add(1);
        let protocol = self.protocols.current();
        self.want(Effect::Send { request: Box::new(request), protocol, delay_ms });
    }

    pub(crate) fn condensing_chunk(&mut self, chunk: Chunk) {
        if let Phase::Condensing(condensing) = &mut self.phase {
            // What it calls in its summary is not run, and not shown.
            condensing.assembler.push(chunk, &mut Vec::new());
        }
    }

    /// Takes the summary, or asks for it once more. Without one the turns are left out all the same, for there is no room.
    pub(crate) fn condensed(&mut self, condensing: Condensing, end: Result<(), StreamFailure>) {
        let Condensing { assembler, plan } = condensing;
        let answer = assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
        if let Err(failure) = &end
            && self.remove_refused_images(failure)
        {
            // No message was left out, so the plan still holds.
            self.discard_attempt();
            return self.ask_for_summary(plan, 0);
        }
        let (may_ask_again, wait_ms) = match &end {
            Ok(()) => (true, 0),
            Err(failure) => (failure.retryable, failure.retry_after_ms.unwrap_or(0)),
        };
        let summary = end.ok().and_then(|()| summary_of(&answer));
        if summary.is_none() && may_ask_again && plan.attempt < ATTEMPTS {
            self.discard_attempt();
            let plan = Plan { attempt: plan.attempt.saturating_add(1), ..plan };
            return self.ask_for_summary(plan, wait_ms.max(BACKOFF_MS));
        }
        let Plan { until, before, .. } = plan;
        let note = match &summary {
            Some(summary) => words::left_out(Some(summary)),
            None => self.note(until),
        };
        let messages = self.transcript.count_before(until);
        self.leave_out(&[], Cut { until, note: Some(note), summarized: true, usage: answer.usage });
        let after = self.context_tokens();
        self.show(Event::ContextCompacted { before, after, results: 0, messages, usage: answer.usage });
        self.tell_fill();
        self.ask_model();
    }

    /// Stops a summary that arrives; its tokens count.
    pub(crate) fn drop_summary(&mut self, condensing: Condensing) {
        let answer = condensing.assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
    }
}

/// The words of an answer that came to its own end. One that was cut, refused or broke off says half of what was done.
fn summary_of(answer: &Answer) -> Option<String> {
    let is_whole = answer.error.is_none()
        && answer.ending == Ending::Complete
        && matches!(answer.stop, Some(StopReason::End | StopReason::StopSequence));
    let text = Message::assistant(answer.parts.clone()).text();
    (is_whole && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
