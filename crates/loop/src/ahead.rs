//! Calls that run while their answer still streams (RULES L6, DESIGN "Early start").
//!
//! Only read-only calls run early: if the answer breaks off, it is void (S10), and their results are
//! discarded. Only the first calls of an answer run early, because a call that changes something must run
//! after the calls before it and before the calls after it; the first call that cannot run early therefore
//! ends the early start.

use windlass_protocol::{CallId, Concurrency, Control, ResultStatus, ToolCall, ToolResult};
use windlass_stream::CallKey;

use crate::execution::State;
use crate::machine::{Machine, Phase};
use crate::{Ahead, CallStart, Config, Effect, Entry, Event, Judgement, words};

/// The calls that started before the end of their answer, in call order.
#[derive(Debug, Default)]
pub(crate) struct AheadCalls {
    /// The number of the answer.
    pub(crate) answer: u64,
    calls: Vec<AheadCall>,
    is_closed: bool,
}

#[derive(Debug)]
struct AheadCall {
    id: CallId,
    fingerprint: String,
    /// True if policy allowed the call without a question, so that it runs.
    runs: bool,
    /// The outcome of the call, after the driver has reported it.
    outcome: Option<Ahead>,
}

impl AheadCalls {
    pub(crate) fn of(answer: u64) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Returns true if the call runs and false if it only waits for a judgement; `None` if it did not start
    /// early.
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

    /// Returns the calls with a reported outcome, in call order.
    pub(crate) fn into_outcomes(self) -> impl Iterator<Item = (CallId, Ahead)> {
        self.calls.into_iter().filter_map(|begun| Some((begun.id, begun.outcome?)))
    }
}

/// Returns true if the call can run for an answer that may become void: it is read-only, does not access
/// external systems, runs in parallel with others and does not control the run.
fn is_harmless(config: &Config, call: &ToolCall) -> bool {
    let hints = config.hints(call.name.as_str());
    config.call_start == CallStart::Early
        && hints.read_only
        && !hints.open_world
        && hints.concurrency == Concurrency::Parallel
        && hints.control == Control::None
}

impl Machine {
    /// Starts a complete call while its answer streams, if that is safe.
    pub(crate) fn begin_ahead(&mut self, key: CallKey, call: &ToolCall) {
        let Phase::Streaming(streaming) = &mut self.phase else { return };
        let ahead = &mut streaming.ahead;
        if ahead.is_closed {
            return;
        }
        let fingerprint = call.fingerprint();
        // A repeated call may be refused, and a call with a used id gets another id.
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

    /// Marks a call as running. A running early call no longer delays the approval requests of later calls.
    pub(crate) fn mark_running(&mut self, call: CallId) {
        if let Phase::Streaming(streaming) = &mut self.phase {
            streaming.ahead.start(&call);
        } else if self.is_in(&call, &State::Ahead { runs: false }) {
            self.set(&call, State::Ahead { runs: true });
        }
        self.show(Event::CallRunning { call });
    }

    /// Handles the outcome of a call that started before the end of its answer.
    pub(crate) fn ran_ahead(&mut self, answer: u64, call: &CallId, outcome: Ahead) {
        match &mut self.phase {
            Phase::Streaming(streaming) if streaming.ahead.answer == answer => {
                streaming.ahead.set(call, outcome);
            }
            Phase::Executing(execution) if execution.answer == answer => self.take_ahead(call, outcome),
            // The answer was void.
            _ => {}
        }
    }

    /// Applies the outcome of an early call after its answer was accepted, and records it as if the call had
    /// run now.
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

    /// Handles the judgement of an early call that did not run; from now on it is treated like the other
    /// calls.
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
            let facts = Some(Box::new(facts.strip_payload()));
            let entry = Entry::Judged { call: call.clone(), decision: decision.clone(), facts };
            self.want(Effect::Record(entry));
            self.show(Event::Decided { call: call.clone(), decision });
        }
        self.want(Effect::Record(Entry::Intent { call: call.clone() }));
        self.set(call, State::Running);
    }

    /// Stops the early calls of a void answer.
    pub(crate) fn abandon(&mut self, ahead: &AheadCalls) {
        if !ahead.is_empty() {
            self.want(Effect::AbandonAhead { answer: ahead.answer });
        }
    }
}
