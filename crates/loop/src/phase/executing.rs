//! The phase in which the calls of an answer are decided, approved and executed.

mod decisions;
mod edits;
mod last_calls;
mod outside;
mod speculative;
mod stopping;

use std::collections::BTreeMap;

use windlass_protocol::{CallId, Control, ToolCall, ToolResult};

use crate::call_state::Call;
use crate::core::{Core, RecordedApproval};
use crate::edit::Edit;
use crate::phase::turn;
use crate::speculative_calls::SpeculativeCalls;
use crate::transition::Transition;
use crate::{Command, Event, Input, InterruptReason, Outcome, StopCause};

/// The calls of one answer, in call order.
#[derive(Debug)]
pub(crate) struct Executing {
    calls: Vec<Call>,
    /// The number of the answer in this process; 0 for an answer from a record.
    answer: u64,
    /// Approval requests of earlier processes, for calls that are decided again after a resume.
    recorded: BTreeMap<CallId, RecordedApproval>,
    /// The changes of calls' arguments by the human.
    edits: BTreeMap<CallId, Edit>,
    /// The notes about calls that a hook changed, for their results.
    rewrites: BTreeMap<CallId, String>,
    is_cancelled: bool,
    /// The error that ends the run after the running calls have ended.
    fatal: Option<String>,
}

impl Executing {
    /// Creates the phase. Calls are only decided after all of them are listed, because a call may have to
    /// wait for others.
    pub(super) fn new(core: &Core, calls: Vec<ToolCall>, speculative: &SpeculativeCalls) -> Self {
        let calls = calls.into_iter().map(|call| {
            let control = core.config().hints(call.name.as_str()).control;
            match speculative.runs(&call.id) {
                Some(runs) => Call::new_speculative(call, control, runs),
                None => Call::new(call, control),
            }
        });
        Self {
            calls: calls.collect(),
            answer: speculative.answer(),
            recorded: BTreeMap::new(),
            edits: BTreeMap::new(),
            rewrites: BTreeMap::new(),
            is_cancelled: false,
            fatal: None,
        }
    }

    /// Starts the execution. `refused` contains the results of the calls that cannot run.
    pub(super) fn begin(
        &mut self,
        core: &mut Core,
        refused: Vec<ToolResult>,
        speculative: SpeculativeCalls,
    ) -> Option<Transition> {
        for result in refused {
            self.end_call(core, result);
        }
        for (call, outcome) in speculative.into_outcomes() {
            let next = self.apply_speculative(core, &call, outcome);
            if next.is_some() {
                return next;
            }
        }
        self.advance(core)
    }

    pub(super) fn step(&mut self, core: &mut Core, input: Input) -> Option<Transition> {
        match input {
            Input::Decided { call, decision } => self.apply_decision(core, &call, *decision),
            Input::Approval(outcome) => self.apply_approval(core, &outcome),
            Input::Started(call) => {
                self.mark_running(core, call);
                None
            }
            Input::Result(result) => self.apply_result(core, result),
            Input::Deferred(call) => self.defer(core, &call),
            Input::Fatal { call, message } => self.fail(core, &call, message),
            Input::Speculative { answer, call, outcome } if answer == self.answer => {
                self.apply_speculative(core, &call, *outcome)
            }
            Input::Reconciled { call, outcome } => self.apply_reconciliation(core, &call, &outcome),
            Input::Cancel => self.cancel(core),
            other => {
                core.refuse_input(other);
                None
            }
        }
    }

    /// Returns true if no further call starts, because the run was cancelled or failed.
    fn is_stopping(&self) -> bool {
        self.is_cancelled || self.fatal.is_some()
    }

    fn find(&mut self, id: &CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id() == id)
    }

    /// Marks a call as running. A running early call no longer delays the approval requests of later calls.
    fn mark_running(&mut self, core: &mut Core, id: CallId) {
        if let Some(call) = self.find(&id) {
            // Calls that started after their answer are marked when they are allowed.
            let _ = call.mark_running();
        }
        core.show(Event::CallRunning { call: id });
    }

    /// Ends a call that has no result yet.
    fn end_call(&mut self, core: &mut Core, result: ToolResult) {
        let result = self.mark_edit(result);
        if let Some(call) = self.find(&result.call)
            && call.end(result.clone()).is_ok()
        {
            core.record_result(result);
        }
    }

    /// Applies the result of a call that runs, here or elsewhere.
    fn apply_result(&mut self, core: &mut Core, result: ToolResult) -> Option<Transition> {
        if !self.find(&result.call).is_some_and(|call| call.is_running() || call.is_deferred()) {
            return None;
        }
        self.end_call(core, result);
        self.advance(core)
    }

    /// Releases held calls whose siblings have ended, and ends the phase when every call has its result.
    pub(super) fn advance(&mut self, core: &mut Core) -> Option<Transition> {
        self.release(core);
        self.release_last(core);
        if self.calls.iter().any(Call::is_open) {
            return self.suspend_if_idle();
        }
        let results: Vec<_> = self.calls.iter().filter_map(Call::result).collect();
        core.end_turn(&results);
        Some(self.end(core))
    }

    /// Releases the calls that no earlier call blocks. A change of the mode waits for the calls before it,
    /// and the calls after it wait for the change, so that each call is decided and run in the mode that it
    /// was made for (RULES L11). Completions and calls that end their answer are not released here.
    fn release(&mut self, core: &mut Core) {
        let (mut is_open, mut is_changing) = (false, false);
        for call in &mut self.calls {
            let may_go = match call.control() {
                Control::Completion | Control::Answer | Control::Last => continue,
                Control::ModeSwitch => !is_open,
                _ => !is_changing,
            };
            if may_go && call.is_held() && call.await_decision().is_ok() {
                core.emit(Command::Decide(call.call().clone()));
            }
            is_open |= call.is_open();
            is_changing |= call.is_open() && call.control() == Control::ModeSwitch;
        }
    }

    fn end(&mut self, core: &mut Core) -> Transition {
        if let Some(message) = self.fatal.take() {
            return Transition::End(Outcome::Failed { message });
        }
        if let Some(text) = self.completion() {
            return turn::complete(core, text, self.is_cancelled);
        }
        if self.is_cancelled {
            return Transition::stop(StopCause::Cancelled);
        }
        match core.mistakes_question() {
            Some(question) => Transition::Interrupt { reason: InterruptReason::Mistakes, question },
            None => Transition::NextTurn,
        }
    }
}
