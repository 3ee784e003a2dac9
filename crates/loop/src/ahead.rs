//! Calls that run while their answer still streams (RULES L6, DESIGN "Early start").
//!
//! Only what changes nothing: if the answer breaks off, it is void (S10), and what was read for it is forgotten. Only
//! the first calls of an answer: one that changes something runs after those before it and before those after it, and
//! so everything after it waits for the end.

use windlass_protocol::{CallId, Concurrency, Control, ResultStatus, ToolCall, ToolResult};
use windlass_stream::CallKey;

use crate::execution::State;
use crate::machine::{Machine, Phase};
use crate::{Ahead, CallStart, Config, Effect, Entry, Event, Judgement, words};

/// The calls of an answer that were begun before its end, in call order.
#[derive(Debug, Default)]
pub(crate) struct AheadCalls {
    /// Which answer of the run.
    pub(crate) answer: u64,
    calls: Vec<AheadCall>,
    is_closed: bool,
}

#[derive(Debug)]
struct AheadCall {
    id: CallId,
    fingerprint: String,
    /// Set when the call runs: it was allowed without a question.
    runs: bool,
    /// What came of it, once that is known.
    outcome: Option<Ahead>,
}

impl AheadCalls {
    pub(crate) fn of(answer: u64) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Returns whether this call runs; `None` if it was not begun.
    pub(crate) fn runs(&self, call: &CallId) -> Option<bool> {
        self.calls.iter().find(|begun| begun.id == *call).map(|begun| begun.runs)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    fn start(&mut self, call: &CallId) {
        if let Some(begun) = self.calls.iter_mut().find(|begun| begun.id == *call) {
            begun.runs = true;
        }
    }

    fn set(&mut self, call: &CallId, outcome: Ahead) {
        if let Some(begun) = self.calls.iter_mut().find(|begun| begun.id == *call) {
            begun.outcome.get_or_insert(outcome);
        }
    }

    /// What has come back of them, in call order.
    pub(crate) fn into_outcomes(self) -> impl Iterator<Item = (CallId, Ahead)> {
        self.calls.into_iter().filter_map(|begun| Some((begun.id, begun.outcome?)))
    }
}

/// Whether nothing is lost if the call is begun and its answer comes to nothing.
fn is_harmless(config: &Config, call: &ToolCall) -> bool {
    let hints = config.hints(call.name.as_str());
    config.call_start == CallStart::Early
        && hints.read_only
        && !hints.open_world
        && hints.concurrency == Concurrency::Parallel
        && hints.control == Control::None
}

impl Machine {
    /// A call is whole while its answer streams: it begins if that is safe.
    pub(crate) fn begin_ahead(&mut self, key: CallKey, call: &ToolCall) {
        let Phase::Streaming(streaming) = &mut self.phase else { return };
        let ahead = &mut streaming.ahead;
        if ahead.is_closed {
            return;
        }
        let fingerprint = call.fingerprint();
        // A repeated call may be refused, and an id that was there before becomes another one.
        let is_new = !self.progress.made_last(&fingerprint)
            && !self.transcript.has_call(&call.id)
            && ahead.calls.iter().all(|begun| begun.fingerprint != fingerprint && begun.id != call.id);
        if streaming.early.streams_before(key) || !is_new || !is_harmless(&self.config, call) {
            ahead.is_closed = true;
            return;
        }
        ahead.calls.push(AheadCall { id: call.id.clone(), fingerprint, runs: false, outcome: None });
        let answer = ahead.answer;
        self.want(Effect::RunAhead { answer, call: call.clone() });
    }

    /// Notes that a call runs: one that began while its answer streamed does not ask any more.
    pub(crate) fn mark_running(&mut self, call: CallId) {
        if let Phase::Streaming(streaming) = &mut self.phase {
            streaming.ahead.start(&call);
        } else if self.is_in(&call, &State::Ahead { runs: false }) {
            self.set(&call, State::Ahead { runs: true });
        }
        self.show(Event::CallRunning { call });
    }

    /// Something came of a call that was begun before the end of its answer.
    pub(crate) fn ran_ahead(&mut self, answer: u64, call: &CallId, outcome: Ahead) {
        match &mut self.phase {
            Phase::Streaming(streaming) if streaming.ahead.answer == answer => {
                streaming.ahead.set(call, outcome);
            }
            Phase::Executing(execution) if execution.answer == answer => self.take_ahead(call, outcome),
            // Its answer was void.
            _ => {}
        }
    }

    /// The same, once the answer is kept: it is written down as if it had been done now.
    pub(crate) fn take_ahead(&mut self, call: &CallId, outcome: Ahead) {
        if !self.is_in(call, &State::Ahead { runs: false }) && !self.is_in(call, &State::Ahead { runs: true })
        {
            return;
        }
        match outcome {
            Ahead::NotBegun if self.is_stopping() => self.cancel_ahead(call),
            Ahead::NotBegun => {
                self.set(call, State::Held);
                self.advance();
            }
            Ahead::Judged(judgement) => self.judged_ahead(call, judgement),
            Ahead::Ran { facts, decision, mut result } => {
                result.call.clone_from(call);
                self.ran_as(call, Judgement::Decided { facts, decision, request: None });
                self.result(result);
            }
            Ahead::Fatal { facts, decision, message } => {
                self.ran_as(call, Judgement::Decided { facts, decision, request: None });
                self.fatal(call, message);
            }
        }
    }

    /// It did not run: from here on it is a call like the others.
    fn judged_ahead(&mut self, call: &CallId, judgement: Judgement) {
        if self.is_stopping() && matches!(judgement, Judgement::Decided { .. }) {
            return self.cancel_ahead(call);
        }
        self.set(call, State::Judging);
        self.judged(call, judgement);
    }

    fn is_stopping(&self) -> bool {
        matches!(&self.phase, Phase::Executing(execution) if execution.is_stopping())
    }

    fn cancel_ahead(&mut self, call: &CallId) {
        self.end_call(ToolResult::text(call.clone(), ResultStatus::Cancelled, words::CANCELLED));
        self.advance();
    }

    fn ran_as(&mut self, call: &CallId, judgement: Judgement) {
        if let Judgement::Decided { facts, decision, .. } = judgement {
            let facts = Some(Box::new(facts.without_payload()));
            let entry = Entry::Judged { call: call.clone(), decision: decision.clone(), facts };
            self.want(Effect::Record(entry));
            self.show(Event::Decided { call: call.clone(), decision });
        }
        self.want(Effect::Record(Entry::Intent { call: call.clone() }));
        self.set(call, State::Running);
    }

    /// The answer is void: what was begun for it is of no use.
    pub(crate) fn abandon(&mut self, ahead: &AheadCalls) {
        if !ahead.is_empty() {
            self.want(Effect::AbandonAhead { answer: ahead.answer });
        }
    }
}
