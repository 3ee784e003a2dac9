//! Suspension of a run without a waiting process: approval requests that are not answered in this process,
//! and calls that continue outside it (DESIGN "Suspend anywhere, resume anywhere").

use std::collections::BTreeMap;

use windlass_hitl::{ApprovalOutcome, ApprovalRequest};
use windlass_protocol::{Aftermath, CallId, ResultStatus, ToolResult};

use crate::machine::{Machine, Phase};
use crate::phase::executing::{Slot, State};
use crate::{Effect, Entry, Event, Outcome, Unanswered, UnknownEffects, Used, Wait, words};

impl Machine {
    /// Keeps an unanswered approval request open if the run can be suspended, and returns whether it did. The
    /// record does not get an answer to the request.
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

    /// Marks a running call as one that continues outside this process. If the run is stopping, the call ends
    /// with unknown effects.
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

    /// Applies the comparison of the files with the plan of an interrupted call.
    pub(crate) fn looked_back(&mut self, call: &CallId, aftermath: &Aftermath) {
        if !self.is_in(call, &State::LookingBack) {
            return;
        }
        match aftermath {
            // The call changed nothing, so it is judged again under the present conditions.
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

    /// Ends a call whose effects are unknown; it never runs again. The human is informed first if the
    /// configuration requires that.
    pub(crate) fn effects_unknown(&mut self, call: &CallId, text: impl Into<String>) {
        if self.config.unknown_effects == UnknownEffects::AskHuman {
            let name = self.slots().find(|slot| slot.call.id == *call).map(|slot| slot.call.name.to_string());
            self.unknown.extend(name);
        }
        self.end_call(ToolResult::text(call.clone(), ResultStatus::EffectsUnknown, text));
    }

    /// Suspends the run if every open call waits for an answer or a result from outside this process.
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

    /// Applies the usage of the other runs that share this run's budget, and restarts the budget if a human
    /// approved it in one of them.
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
