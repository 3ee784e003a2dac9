//! The phase in which the calls of an answer are judged, approved and executed.

mod held;
mod questions;

use windlass_hitl::{ApprovalOutcome, ApprovalRequest, Verdict};
use windlass_protocol::{CallId, Control, ResultStatus, ToolCall, ToolResult};

use crate::ahead::AheadCalls;
use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, Judgement, Matter, Outcome, StopCause, words};

pub(crate) use self::held::completion_text;

/// The calls of one answer, in call order.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) slots: Vec<Slot>,
    /// The number of the answer in this process; 0 for an answer from a record.
    pub(crate) answer: u64,
    cancelled: bool,
    fatal: Option<String>,
}

impl Execution {
    /// Returns true if no further call starts, because the run was cancelled or failed.
    pub(crate) fn is_stopping(&self) -> bool {
        self.cancelled || self.fatal.is_some()
    }
}

/// A call and its state.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) call: ToolCall,
    control: Control,
    pub(crate) state: State,
}

#[derive(Debug, PartialEq)]
pub(crate) enum State {
    /// The call started while its answer streamed, and its outcome is unknown. `runs` is true if policy
    /// allowed it.
    Ahead {
        runs: bool,
    },
    /// The call has not been judged, because it may have to wait for others: a completion, a call that ends
    /// its answer or changes the mode, and the calls after a change of the mode.
    Held,
    /// The call's process ended while it ran. The driver compares the files with the call's plan.
    LookingBack,
    Judging,
    /// Policy asks the human about the call. The approval request waits for those of earlier calls.
    ToAsk(Box<ApprovalRequest>),
    Asking,
    /// The approval request is not answered in this process.
    Postponed {
        request_id: String,
    },
    Running,
    /// The call continues outside this process.
    Deferred,
    Ended(ToolResult),
}

impl Slot {
    fn result(&self) -> Option<&ToolResult> {
        match &self.state {
            State::Ended(result) => Some(result),
            State::Ahead { .. }
            | State::Held
            | State::LookingBack
            | State::Judging
            | State::ToAsk(_)
            | State::Asking
            | State::Postponed { .. }
            | State::Running
            | State::Deferred => None,
        }
    }
}

impl Machine {
    /// Starts the execution of an answer's calls. `refused` contains the results of the calls that cannot
    /// run.
    pub(crate) fn execute(&mut self, calls: Vec<ToolCall>, refused: Vec<ToolResult>, ahead: AheadCalls) {
        self.open_slots(calls, &ahead);
        for result in refused {
            self.end_call(result);
        }
        for (call, outcome) in ahead.into_outcomes() {
            self.take_ahead(&call, outcome);
        }
        self.advance();
    }

    pub(crate) fn open_slots(&mut self, calls: Vec<ToolCall>, ahead: &AheadCalls) {
        let slots = calls.into_iter().map(|call| self.slot(call, ahead)).collect();
        let answer = ahead.answer;
        self.phase = Phase::Executing(Box::new(Execution { slots, answer, cancelled: false, fatal: None }));
    }

    /// Creates the slot of a call. Calls are only judged after every slot exists, because a call may have to
    /// wait for others.
    fn slot(&self, call: ToolCall, ahead: &AheadCalls) -> Slot {
        let control = self.config.hints(call.name.as_str()).control;
        let state = ahead.runs(&call.id).map_or(State::Held, |runs| State::Ahead { runs });
        Slot { call, control, state }
    }

    pub(crate) fn judged(&mut self, call: &CallId, judgement: Judgement) {
        if !self.is_in(call, &State::Judging) {
            return;
        }
        let (facts, decision, request) = match judgement {
            Judgement::Refused(result) => {
                self.end_call(ToolResult::new(call.clone(), result.status, result.content));
                return self.advance();
            }
            Judgement::Decided { facts, decision, request } => (facts, decision, request),
        };
        let facts = Some(Box::new(facts.strip_payload()));
        self.want(Effect::Record(Entry::Judged { call: call.clone(), decision: decision.clone(), facts }));
        self.show(Event::Decided { call: call.clone(), decision: decision.clone() });
        match (decision.verdict, request) {
            (Verdict::Allow, _) => self.run(call),
            (Verdict::Deny, _) => {
                let text = words::denied(&decision.reason.rule_id, &decision.reason.text);
                self.end_call(ToolResult::text(call.clone(), ResultStatus::Denied, text));
                self.advance();
            }
            (Verdict::Ask, Some(request)) => self.hold_question(call, request),
            (Verdict::Ask, None) => self.cannot_ask(call),
        }
    }

    pub(crate) fn approved(&mut self, call: &CallId, outcome: &ApprovalOutcome) {
        if !self.is_in(call, &State::Asking) {
            return;
        }
        let (status, text) = match outcome {
            ApprovalOutcome::Answered(decision) if decision.approved => return self.run(call),
            ApprovalOutcome::Answered(decision) => {
                (ResultStatus::Denied, words::denied_by_human(decision.reason.as_deref()))
            }
            ApprovalOutcome::TimedOut { .. } => {
                (ResultStatus::TimedOut, words::APPROVAL_TIMED_OUT.to_owned())
            }
            _ => (ResultStatus::Denied, words::NO_APPROVER.to_owned()),
        };
        self.end_call(ToolResult::text(call.clone(), status, text));
        self.advance();
    }

    fn run(&mut self, id: &CallId) {
        self.set(id, State::Running);
        let Phase::Executing(execution) = &self.phase else { return };
        let Some(call) =
            execution.slots.iter().find(|slot| slot.call.id == *id).map(|slot| slot.call.clone())
        else {
            return;
        };
        self.want(Effect::Record(Entry::Intent { call: id.clone() }));
        self.want(Effect::Run(call));
    }

    pub(crate) fn result(&mut self, result: ToolResult) {
        if self.is_in(&result.call, &State::Running) || self.is_in(&result.call, &State::Deferred) {
            self.end_call(result);
            self.advance();
        }
    }

    pub(crate) fn fatal(&mut self, call: &CallId, message: String) {
        // A call can also fail the run during its lookup, which is part of the judgement.
        if !self.is_in(call, &State::Running) && !self.is_in(call, &State::Judging) {
            return;
        }
        self.end_call(ToolResult::text(call.clone(), ResultStatus::Error, message.clone()));
        if let Phase::Executing(execution) = &mut self.phase {
            execution.fatal.get_or_insert(message);
        }
        self.end_waiting();
        self.want(Effect::Abort);
        self.advance();
    }

    pub(crate) fn cancel_execution(&mut self) {
        let Phase::Executing(execution) = &mut self.phase else { return };
        if std::mem::replace(&mut execution.cancelled, true) {
            return;
        }
        self.end_waiting();
        self.want(Effect::Abort);
        self.advance();
    }

    /// Ends every call that does not run yet (RULES H16, L7). The calls that run still report their results.
    fn end_waiting(&mut self) {
        self.approvals.clear();
        let Phase::Executing(execution) = &self.phase else { return };
        let waiting: Vec<_> = execution
            .slots
            .iter()
            .filter_map(|slot| {
                let (status, text) = match slot.state {
                    State::Held
                    | State::Judging
                    | State::ToAsk(_)
                    | State::Asking
                    | State::Postponed { .. } => (ResultStatus::Cancelled, words::CANCELLED),
                    State::LookingBack => (ResultStatus::EffectsUnknown, words::EFFECTS_UNKNOWN),
                    State::Deferred => (ResultStatus::EffectsUnknown, words::CANCELLED_ELSEWHERE),
                    State::Ahead { .. } | State::Running | State::Ended(_) => return None,
                };
                Some(ToolResult::text(slot.call.id.clone(), status, text))
            })
            .collect();
        for result in waiting {
            self.end_call(result);
        }
    }

    pub(crate) fn end_call(&mut self, result: ToolResult) {
        let Phase::Executing(execution) = &mut self.phase else { return };
        let open =
            execution.slots.iter_mut().find(|slot| slot.call.id == result.call && slot.result().is_none());
        if let Some(slot) = open {
            slot.state = State::Ended(result.clone());
            self.keep_result(result);
        }
    }

    pub(crate) fn set(&mut self, call: &CallId, state: State) {
        if let Phase::Executing(execution) = &mut self.phase
            && let Some(slot) = execution.slots.iter_mut().find(|slot| slot.call.id == *call)
        {
            slot.state = state;
        }
    }

    pub(crate) fn is_in(&self, call: &CallId, state: &State) -> bool {
        matches!(&self.phase, Phase::Executing(execution)
            if execution.slots.iter().any(|slot| slot.call.id == *call && slot.state == *state))
    }

    /// Releases held calls whose siblings have ended, and ends the turn when every call has its result.
    pub(crate) fn advance(&mut self) {
        self.release();
        self.release_held();
        let Phase::Executing(execution) = &mut self.phase else { return };
        if execution.slots.iter().any(|slot| slot.result().is_none()) {
            return self.suspend_if_idle();
        }
        let slots = std::mem::take(&mut execution.slots);
        let (cancelled, fatal) = (execution.cancelled, execution.fatal.take());
        let results: Vec<_> = slots.iter().filter_map(Slot::result).collect();
        self.progress.judge_turn(&results);
        if let Some(message) = fatal {
            return self.end(Outcome::Failed { message });
        }
        if let Some(text) = self.completion(&slots) {
            return self.complete(text, cancelled);
        }
        if cancelled {
            return self.stop(StopCause::Cancelled);
        }
        let limit = self.config.limits.mistakes;
        if limit > 0 && self.progress.mistakes >= limit {
            return self.consult(Matter::Mistakes, words::mistakes(self.progress.mistakes));
        }
        self.next_turn();
    }
}
