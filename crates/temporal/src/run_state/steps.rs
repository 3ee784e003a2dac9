//! Steps: the work of the machine, which activities execute, and the reading of their results.

use windlass_hitl::{ApprovalOutcome, Digest};
use windlass_loop::{Command, Entry, Input, Offer, Step, StepClass, StreamFailure};
use windlass_protocol::{CallId, Request, ResultStatus, ToolProtocol, ToolResult};

use super::RunState;
use super::work::{ScheduledStep, StepEnd, Work};
use crate::data::{CallDone, CallStep, RunScope, SendStep, StepId};
use crate::version::tools_digest;

impl RunState {
    /// Schedules the step that a command requests.
    pub(super) fn schedule(&mut self, command: Command, step: &Step) {
        let id = StepId { run: self.run.clone(), key: step.key.clone(), generation: step.generation };
        let number = self.next_step;
        self.next_step = number.saturating_add(1);
        let call_step = |state: &Self, call| {
            let scope = state.scope.clone();
            Box::new(CallStep { id: id.clone(), scope, call, approved: None, planned: Vec::new() })
        };
        let work = match command {
            Command::Send { request, protocol, delay_ms } => {
                let step = self.build_send_step(id, *request, protocol, number);
                Work::Send { step: Box::new(step), delay_ms }
            }
            Command::Decide(call) => Work::Decide(call_step(self, call)),
            Command::Run(call) => {
                let approved = self.approved_digest(&call.id);
                Work::Run(Box::new(CallStep { approved, ..*call_step(self, call) }))
            }
            Command::Reconcile { call, planned } => {
                Work::Reconcile(Box::new(CallStep { planned, ..*call_step(self, call) }))
            }
            _ => return,
        };
        self.steps.push_back(ScheduledStep { number, class: step.class, work });
    }

    /// Replaces the stored part of a request's conversation by its hash.
    fn build_send_step(
        &mut self,
        id: StepId,
        mut request: Request,
        protocol: ToolProtocol,
        number: u64,
    ) -> SendStep {
        let history = std::mem::take(&mut request.messages);
        let base = self.stored.as_ref().filter(|(_, stored)| history.starts_with(stored));
        let known = base.map_or(0, |(_, stored)| stored.len());
        let messages = history.iter().skip(known).cloned().collect();
        let base = base.map(|(hash, _)| hash.clone());
        self.sending = Some((number, history));
        SendStep { id, request: Box::new(request), base, messages, protocol }
    }

    /// Returns the digest of the request with which a human approved the call.
    fn approved_digest(&self, call: &CallId) -> Option<Digest> {
        let mut is_approved = false;
        for entry in self.record.iter().rev() {
            match entry {
                Entry::Approval { call: about, outcome: ApprovalOutcome::Answered(decision) }
                    if about == call =>
                {
                    is_approved |= decision.approved;
                }
                Entry::Asked { request } if request.call.id == *call => {
                    return is_approved.then(|| request.digest.clone());
                }
                Entry::Answered { .. } => return None,
                _ => {}
            }
        }
        None
    }

    /// Reads the end of a step.
    pub(crate) fn end_step(&mut self, step: &ScheduledStep, end: StepEnd, now_ms: u64) {
        match (&step.work, end) {
            (Work::Send { .. }, end) => self.end_send(step.number, end, now_ms),
            (Work::Decide(call) | Work::Run(call) | Work::Reconcile(call), StepEnd::Called(done)) => {
                self.end_call(&call.scope, *done, now_ms);
            }
            (Work::Run(run), StepEnd::Lost(reason)) if step.class == StepClass::Once => {
                self.lost.push(run.call.id.clone());
                self.keep_event(windlass_loop::Event::CallNote {
                    call: run.call.id.clone(),
                    text: format!("the worker of this call ended: {reason}"),
                });
            }
            (Work::Run(run), StepEnd::Cancelled) => {
                let text = "stopped before it began; nothing was run";
                let result = ToolResult::text(run.call.id.clone(), ResultStatus::Cancelled, text);
                self.feed(Input::Result(result), now_ms);
            }
            (Work::Run(run), StepEnd::Failed(text) | StepEnd::Lost(text)) => {
                let id = run.call.id.clone();
                let result = ToolResult::text(id, ResultStatus::NotStarted, format!("not run: {text}"));
                self.feed(Input::Result(result), now_ms);
            }
            (
                Work::Decide(step) | Work::Reconcile(step),
                StepEnd::Failed(message) | StepEnd::Lost(message),
            ) => {
                self.feed(Input::Fatal { call: step.call.id.clone(), message }, now_ms);
            }
            (_, StepEnd::Sent(_) | StepEnd::Cancelled) => {}
        }
        self.renew_grants();
    }

    fn end_send(&mut self, number: u64, end: StepEnd, now_ms: u64) {
        let Some((_, history)) = self.sending.take_if(|(sending, _)| *sending == number) else { return };
        let inputs = match end {
            StepEnd::Sent(output) => {
                self.stored = Some((output.stored, history));
                output.inputs
            }
            StepEnd::Failed(message) | StepEnd::Lost(message) => {
                vec![Input::StreamEnd(Err(StreamFailure::new(message, false)))]
            }
            StepEnd::Called(_) | StepEnd::Cancelled => return,
        };
        for input in inputs {
            self.feed(input, now_ms);
        }
    }

    /// Reads the result of a step about a call, which was scheduled with this scope.
    fn end_call(&mut self, scope: &RunScope, done: CallDone, now_ms: u64) {
        self.scope.is_tainted |= done.is_tainted;
        // A step without an offer does not change the tools: another step can have changed them while it ran.
        let is_late = |offer: &Offer| offer.mode == scope.mode && self.scope.mode != scope.mode;
        if let Some(mut offer) = done.offer.filter(|offer| !is_late(offer)) {
            self.scope.tools = tools_digest(&offer.tools, &offer.known_tools);
            self.scope.mode.clone_from(&offer.mode);
            self.next_offer = self.next_offer.saturating_add(1);
            offer.number = self.next_offer;
            self.feed(Input::Offer(Box::new(offer)), now_ms);
        }
        if let Input::Deferred(call) = &done.input {
            // The result can arrive before the call has reported that it continues outside.
            if let Some(result) = self.results.remove(call) {
                return self.feed(Input::Result(result), now_ms);
            }
            self.deferred.insert(call.clone());
        }
        self.feed(done.input, now_ms);
    }
}
