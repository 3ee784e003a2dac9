//! The phase in which the model summarizes the turns that will be removed.

use windlass_assemble::{Answer, Assembler, Ending, Options};
use windlass_protocol::{Message, StopReason, ToolChoice};
use windlass_stream::Chunk;

use crate::conversation::compaction::Cut;
use crate::machine::{Machine, Phase};
use crate::phase::streaming::BACKOFF_MS;
use crate::{Effect, Event, StreamFailure, words};

/// Number of requests for a summary before the turns are removed without one.
const ATTEMPTS: u32 = 2;

/// The state of a summary that arrives.
#[derive(Debug)]
pub(crate) struct Condensing {
    assembler: Assembler,
    plan: Plan,
}

/// The compaction that a summary belongs to.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The position of the first message that stays.
    until: usize,
    /// Tokens of the next request before the compaction.
    before: u64,
    /// Number of the attempt, from 1.
    attempt: u32,
}

impl Machine {
    /// Asks the model to summarize the messages before `until`. The request has the same prefix as all
    /// others, so that the provider's cache applies.
    pub(crate) fn sum_up(&mut self, until: usize, before: u64) {
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
            // Calls in a summary are neither run nor shown.
            condensing.assembler.push(chunk, &mut Vec::new());
        }
    }

    /// Applies the summary, or requests it once more. If no summary can be obtained, the turns are removed
    /// without one, because the window is full.
    pub(crate) fn condensed(&mut self, condensing: Condensing, end: Result<(), StreamFailure>) {
        let Condensing { assembler, plan } = condensing;
        let answer = assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
        if let Err(failure) = &end
            && self.remove_refused_images(failure)
        {
            // This removal replaces content but keeps all messages, so the positions of the plan stay valid.
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

    /// Cancels a summary that arrives, and counts its tokens.
    pub(crate) fn drop_summary(&mut self, condensing: Condensing) {
        let answer = condensing.assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
    }
}

/// Returns the text of a summary that ended normally. An incomplete or refused summary would hide a part of
/// the work.
fn summary_of(answer: &Answer) -> Option<String> {
    let is_whole = answer.error.is_none()
        && answer.ending == Ending::Complete
        && matches!(answer.stop, Some(StopReason::End | StopReason::StopSequence));
    let text = Message::assistant(answer.parts.clone()).text();
    (is_whole && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
