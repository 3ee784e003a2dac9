//! Waiting without a process: approval requests that nobody answers here, and calls that continue elsewhere (DESIGN
//! "Suspend anywhere, resume anywhere").

use std::collections::BTreeMap;

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{Aftermath, CallId, ResultStatus, ToolResult};

use crate::execution::{Slot, State};
use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, Outcome, Unanswered, UnknownEffects, Used, Wait, words};

impl Machine {
    /// Keeps a question open that nobody answered, if the run can be suspended. Its record stays without an answer.
    pub(crate) fn postpone(&mut self, request: &ApprovalRequest, outcome: &ApprovalOutcome) -> bool {
        let is_answered = matches!(outcome, ApprovalOutcome::Answered(_));
        if is_answered
            || self.config.unanswered == Unanswered::Deny
            || !self.is_in(&request.call.id, &State::Asking)
        {
            return false;
        }
        let request_id = request.request_id.clone();
        self.set(&request.call.id, State::Postponed { request_id: request_id.clone() });
        self.show(Event::ApprovalPostponed { request_id });
        self.advance();
        true
    }

    /// A call goes on without this process.
    pub(crate) fn deferred(&mut self, call: &CallId) {
        if !self.is_in(call, &State::Running) {
            return;
        }
        if matches!(&self.phase, Phase::Executing(execution) if execution.is_stopping()) {
            let text = words::CANCELLED_ELSEWHERE;
            self.end_call(ToolResult::text(call.clone(), ResultStatus::EffectsUnknown, text));
            return self.advance();
        }
        self.set(call, State::Deferred);
        self.want(Effect::Record(Entry::Deferred { call: call.clone() }));
        self.show(Event::CallDeferred { call: call.clone() });
        self.advance();
    }

    /// The files have said what became of a call that was cut off.
    pub(crate) fn looked_back(&mut self, call: &CallId, aftermath: &Aftermath) {
        if !self.is_in(call, &State::LookingBack) {
            return;
        }
        match aftermath {
            // It is judged again, as it is now: nothing was done yet.
            Aftermath::NotBegun => self.set(call, State::Held),
            Aftermath::Done => {
                self.end_call(ToolResult::text(call.clone(), ResultStatus::Ok, words::DONE_BEFORE));
            }
            cut => {
                let text = words::cut_off(cut);
                self.effects_unknown(call, text);
            }
        }
        self.advance();
    }

    /// Nobody knows what a call did, and it does not run again.
    pub(crate) fn effects_unknown(&mut self, call: &CallId, text: impl Into<String>) {
        if self.config.unknown_effects == UnknownEffects::AskHuman {
            let name = self.slots().find(|slot| slot.call.id == *call).map(|slot| slot.call.name.to_string());
            self.unknown.extend(name);
        }
        self.end_call(ToolResult::text(call.clone(), ResultStatus::EffectsUnknown, text));
    }

    /// Ends the run for this process, if all that is left waits for something that does not come here.
    pub(crate) fn suspend_if_idle(&mut self) {
        let works = |slot: &Slot| {
            matches!(
                slot.state,
                State::Ahead { .. }
                    | State::LookingBack
                    | State::Judging
                    | State::ToAsk(_)
                    | State::Asking
                    | State::Running
            )
        };
        if self.slots().any(works) {
            return;
        }
        let waits: Vec<Wait> = self
            .slots()
            .filter_map(|slot| {
                let call = slot.call.id.clone();
                match &slot.state {
                    State::Postponed { request_id } => {
                        Some(Wait::Approval { call, request_id: request_id.clone() })
                    }
                    State::Deferred => Some(Wait::Result { call }),
                    _ => None,
                }
            })
            .collect();
        if !waits.is_empty() {
            self.end(Outcome::Suspended { waits });
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        let execution = if let Phase::Executing(execution) = &self.phase { Some(execution) } else { None };
        execution.into_iter().flat_map(|execution| execution.slots.iter())
    }

    /// Others have used some of the budget that this run shares, or a human was asked by one of them and let all go on.
    pub(crate) fn shared(&mut self, used: BTreeMap<String, Used>, grants: u64) {
        self.others.learn(used);
        if !self.others.is_granted(grants) || self.is_over() {
            return;
        }
        self.want(Effect::Record(Entry::Guided { id: None, words: None }));
        self.grant_budget();
        self.withdraw_budget_question();
    }
}
