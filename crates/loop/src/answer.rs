//! The evaluation of a complete answer: calls, text, or an empty answer.

use windlass_assemble::{Answer, MalformedCall};
use windlass_protocol::{
    Arguments, CallId, Control, Message, Part, ResultStatus, StopReason, ToolCall, ToolName, ToolResult,
};

use crate::ahead::AheadCalls;
use crate::early::{Early, Refusal};
use crate::machine::Machine;
use crate::words::NoCall;
use crate::{Effect, Entry, Event, Matter, MessageSource, StopCause, StreamFailure, words};

/// A complete answer, with the early refusals and early calls from its stream.
pub(crate) struct Ended {
    pub(crate) answer: Answer,
    pub(crate) early: Early,
    pub(crate) ahead: AheadCalls,
}

impl Machine {
    pub(crate) fn answered(&mut self, ended: Ended) {
        let Ended { answer, early, ahead } = ended;
        self.count_usage(&answer.usage);
        self.meter.learn(self.transcript.size(), &answer.usage);
        self.meter.has_shrunk = false;
        self.show(Event::AnswerEnded { stop: answer.stop.clone(), usage: answer.usage, total: self.usage });
        if answer.is_empty() && !matches!(answer.stop, Some(StopReason::Length | StopReason::ContextWindow)) {
            let refused = matches!(answer.stop, Some(StopReason::Refusal | StopReason::ContentFilter));
            return if refused { self.stop(StopCause::Refused) } else { self.empty() };
        }
        let (calls, mut refused) = self.calls_of(&answer, &early);
        let malformed = refused.len();
        refused.extend(self.repeats_of(&calls, &refused));
        refused.extend(self.after_last(&calls, &refused));
        refused.extend(self.over_budget(&calls, &refused));
        let has_words =
            answer.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.text.is_empty()));
        if answer.is_empty() {
            self.discard_attempt();
        } else {
            let message = Message::assistant(renamed(answer.parts, &calls));
            self.want(Effect::Record(Entry::Answered {
                message: message.clone(),
                refused: refused.clone(),
                malformed: Some(malformed),
                repaired: early.repaired,
                stop: answer.stop.clone(),
                usage: answer.usage,
            }));
            self.transcript.answer(message).expect("ids are made unique, and nothing is open");
            self.protocols.lock();
        }
        if calls.is_empty() {
            self.no_call(has_words, answer.stop.as_ref());
        } else {
            self.execute(calls, refused, ahead);
        }
    }

    /// Handles an empty answer, which is never kept (RULES R7). The answer is requested again before the
    /// human is asked.
    fn empty(&mut self) {
        self.discard_attempt();
        if self.progress.attempts < self.config.limits.stream_retries.min(2) {
            let failure = StreamFailure::new("the answer was empty", true);
            return self.try_again(&failure);
        }
        self.no_call(false, None);
    }

    /// Handles an answer without a call. Without a completion tool, text ends the task; with one, the model
    /// is asked to use a tool, a limited number of times (RULES L3).
    pub(crate) fn no_call(&mut self, has_words: bool, stop: Option<&StopReason>) {
        if stop == Some(&StopReason::Pause) {
            return self.next_turn();
        }
        if matches!(stop, Some(StopReason::Refusal | StopReason::ContentFilter)) {
            return self.stop(StopCause::Refused);
        }
        let kind = NoCall::of(has_words, stop);
        let Some(tool) = self.config.completion_tool().map(str::to_owned) else {
            return self.end_with_text(kind);
        };
        let limit = self.config.limits.nudges;
        if limit > 0 && self.progress.nudges >= limit {
            return self.consult(Matter::Mistakes, words::nudged(self.progress.nudges));
        }
        self.progress.nudges = self.progress.nudges.saturating_add(1);
        self.tell_model(MessageSource::Nudge, &kind.nudge(&tool));
        self.next_turn();
    }

    fn end_with_text(&mut self, kind: NoCall) {
        match kind {
            NoCall::TextOnly => {
                let text = self.transcript.messages().last().map(Message::text).unwrap_or_default();
                self.complete(text, false);
            }
            NoCall::Cut => self.fail(&StreamFailure::new("the answer was cut at the limit of tokens", false)),
            NoCall::Empty => self.fail(&StreamFailure::new("the model gave only empty answers", false)),
        }
    }

    /// Returns the calls of an answer with ids that are unique in the conversation (RULES P1), and the
    /// results of the calls that cannot run (S10, S11).
    fn calls_of(&mut self, answer: &Answer, early: &Early) -> (Vec<ToolCall>, Vec<ToolResult>) {
        let mut refused = Vec::new();
        let mut calls: Vec<ToolCall> = Vec::new();
        let message = Message::assistant(answer.parts.clone());
        for (position, call) in message.calls().enumerate() {
            let mut unique = call.clone();
            if self.transcript.has_call(&call.id) || calls.iter().any(|other| other.id == call.id) {
                // A generated id can be equal to the id of another call of the answer.
                let others = || calls.iter().chain(message.calls());
                unique.id = self.free_id(position, |id| others().any(|other| other.id == *id));
                self.show(Event::CallTakenUp { call: unique.clone() });
            }
            if let Some(malformed) = answer.iter_malformed().find(|malformed| malformed.id == call.id) {
                refused.push(refusal(unique.id.clone(), malformed, early.refusal(malformed.key)));
            }
            calls.push(unique);
        }
        (calls, refused)
    }

    fn free_id(&self, position: usize, is_taken: impl Fn(&CallId) -> bool) -> CallId {
        let mut turn = u64::from(self.progress.turns);
        loop {
            let id = CallId::synthesize(turn, position);
            if !self.transcript.has_call(&id) && !is_taken(&id) {
                return id;
            }
            turn = turn.saturating_add(1_000_000);
        }
    }

    /// Counts a call and returns the number of consecutive equal calls, from 1.
    pub(crate) fn count_call(&mut self, call: &ToolCall) -> u32 {
        let is_read_only = self.config.hints(call.name.as_str()).read_only;
        self.progress.count(call, is_read_only)
    }

    pub(crate) fn repeats_of(&mut self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let limit = self.config.limits.repeats;
        let mut repeated = Vec::new();
        for call in calls.iter().filter(|call| refused.iter().all(|result| result.call != call.id)) {
            let round = self.progress.begins_round(call, limit);
            let times = self.count_call(call);
            if let Some(calls) = round {
                let text = words::in_circles(call.name.as_str(), calls, limit);
                repeated.push(ToolResult::text(call.id.clone(), ResultStatus::Error, text));
            } else if limit > 0 && times > limit {
                let text = words::repeated(call.name.as_str(), times);
                repeated.push(ToolResult::text(call.id.clone(), ResultStatus::Error, text));
            }
        }
        repeated
    }

    /// Returns refusals of the calls that exceed the budget of their tool. The human is asked before the next
    /// turn (RULES H10).
    pub(crate) fn over_budget(&mut self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let mut over = Vec::new();
        for call in calls.iter().filter(|call| refused.iter().all(|result| result.call != call.id)) {
            // The call counts for its tool, independent of the name that the model wrote.
            let name = &self.config.counted_as(call.name.as_str());
            let used = self.spent.count(name.clone());
            if let Some(limit) = self.config.budget.calls_of(name).filter(|limit| used > *limit) {
                let text = words::over_budget(name, limit);
                over.push(ToolResult::text(call.id.clone(), ResultStatus::NotStarted, text));
            }
        }
        over
    }

    /// Returns refusals of the calls after a call that must be the last of its answer (RULES L12).
    pub(crate) fn after_last(&self, calls: &[ToolCall], refused: &[ToolResult]) -> Vec<ToolResult> {
        let is_refused = |call: &ToolCall| refused.iter().any(|result| result.call == call.id);
        let is_last = |call: &ToolCall| {
            self.config.hints(call.name.as_str()).control == Control::Last && !is_refused(call)
        };
        let mut left = calls.iter().skip_while(|call| !is_last(call));
        let Some(last) = left.next() else { return Vec::new() };
        let text = words::after_last(last.name.as_str());
        left.filter(|call| !is_refused(call))
            .map(|call| ToolResult::text(call.id.clone(), ResultStatus::NotStarted, text.as_str()))
            .collect()
    }
}

/// Replaces the calls among the parts by the same calls with unique ids.
fn renamed(parts: Vec<Part>, calls: &[ToolCall]) -> Vec<Part> {
    let mut calls = calls.iter();
    parts
        .into_iter()
        .map(|part| match part {
            Part::Call(call) => Part::Call(calls.next().cloned().unwrap_or(call)),
            other => other,
        })
        .collect()
}

fn refusal(id: CallId, call: &MalformedCall, early: Option<&Refusal>) -> ToolResult {
    match early {
        Some(refusal) => ToolResult::text(id, refusal.status, refusal.text.as_str()),
        None => ToolResult::text(id, call.status(), words::malformed(&call.reason.to_string(), &call.text)),
    }
}

/// Gives a placeholder name to each call whose name never arrived, so that its error result belongs to a call
/// of the conversation (RULES S11).
pub(crate) fn name_the_nameless(answer: &mut Answer) {
    let nameless: Vec<_> =
        answer.iter_malformed().filter(|call| call.name.is_none()).map(|call| call.id.clone()).collect();
    for id in nameless {
        let name = ToolName::new(words::NAMELESS).expect("the name is a constant");
        answer.parts.push(Part::Call(ToolCall::function(id, name, Arguments::default())));
    }
}
