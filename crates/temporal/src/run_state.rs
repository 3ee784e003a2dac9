//! The state of the workflow: a machine, its record, and the commands that are not executed yet. It contains
//! nothing of the engine, so it is deterministic and tests need no server.

mod continuation;
mod letters;
mod steps;
#[cfg(test)]
mod tests;
mod views;
mod work;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_loop::{
    Command, Entry, Event, Input, InterruptId, Machine, Outcome, ResumeError, SpeculativeOutcome,
};
use windlass_protocol::{CallId, History, ToolResult};

use crate::data::{Letter, RunInput, RunScope};
use crate::version::Definition;
use crate::{ContentHash, RunSettings};

pub(crate) use work::{ScheduledStep, StepChange, StepEnd, Work};

/// The number of events that a run keeps for its observers.
const KEPT_EVENTS: usize = 1_000;

/// The state of one run.
#[derive(Debug)]
pub(crate) struct RunState {
    run: String,
    input: RunInput,
    definition: Option<Definition>,
    machine: Option<Machine>,
    record: Vec<Entry>,
    scope: RunScope,
    /// The outcome of the present machine; a suspended run continues with another machine.
    outcome: Option<Outcome>,
    letters: VecDeque<Letter>,
    approvals: Vec<ApprovalRequest>,
    question: Option<(InterruptId, String)>,
    /// Answers to approval requests and questions that arrived while no machine was waiting for them.
    answers: BTreeMap<String, ApprovalDecision>,
    replies: BTreeMap<u32, (InterruptId, Option<String>)>,
    /// Results of deferred calls.
    results: BTreeMap<CallId, ToolResult>,
    deferred: BTreeSet<CallId>,
    events: VecDeque<Event>,
    first_event: u64,
    steps: VecDeque<ScheduledStep>,
    changes: Vec<StepChange>,
    next_step: u64,
    /// The request that the machine waits for, with its conversation.
    sending: Option<(u64, History)>,
    /// The conversation that is stored by content hash.
    stored: Option<(ContentHash, History)>,
    /// Calls whose worker ended while they ran and that must not be repeated.
    lost: Vec<CallId>,
    first_turn: u32,
    next_offer: u64,
    /// True if the run has to stop. A new machine does not know that from the record.
    is_stopped: bool,
    /// True if an answer gave a grant that is not part of the scope yet.
    pending_grant: bool,
}

impl RunState {
    /// Creates the state of a run that has not begun in this workflow.
    pub(crate) fn new(run: String, mut input: RunInput) -> Self {
        let carried = input.carried.take().map(|carried| *carried);
        let mut state = Self {
            run,
            input,
            definition: None,
            machine: None,
            record: Vec::new(),
            scope: RunScope::default(),
            outcome: None,
            letters: VecDeque::new(),
            approvals: Vec::new(),
            question: None,
            answers: BTreeMap::new(),
            replies: BTreeMap::new(),
            results: BTreeMap::new(),
            deferred: BTreeSet::new(),
            events: VecDeque::new(),
            first_event: 0,
            steps: VecDeque::new(),
            changes: Vec::new(),
            next_step: 0,
            sending: None,
            stored: None,
            lost: Vec::new(),
            first_turn: 0,
            next_offer: 0,
            is_stopped: false,
            pending_grant: false,
        };
        if let Some(carried) = carried {
            state.definition = Some(carried.definition);
            state.record = carried.record;
            state.scope = carried.scope;
            state.first_event = carried.events.first;
            state.events = carried.events.events.into();
            state.results = carried.results;
            state.letters = carried.letters.into();
        }
        state
    }

    /// Returns the definition of the run, if an earlier workflow of the run began it.
    pub(crate) fn definition(&self) -> Option<&Definition> {
        self.definition.as_ref()
    }

    /// Returns the settings of the run.
    pub(crate) fn settings(&self) -> &RunSettings {
        &self.input.settings
    }

    /// Begins the run under this definition.
    pub(crate) fn begin(&mut self, definition: Definition, now_ms: u64) {
        self.scope.tools.clone_from(&definition.tools);
        self.scope.mode.clone_from(&definition.config.mode);
        self.scope.is_pinned = self.input.settings.pins_tools;
        let mut machine = Machine::new(definition.config.clone());
        self.definition = Some(definition);
        let commands = machine.step(Input::Start { task: self.input.task.clone().into() }, now_ms);
        self.machine = Some(machine);
        self.execute(commands, now_ms);
    }

    /// Continues the run with a new machine from the record: after the crash of a call that must not be
    /// repeated, after an answer to a suspended run, or in a new workflow.
    ///
    /// # Errors
    /// Returns an error if the record contradicts itself.
    pub(crate) fn resume(&mut self, now_ms: u64) -> Result<(), ResumeError> {
        let Some(definition) = &self.definition else { return Err(ResumeError::NotStarted) };
        self.approvals.clear();
        self.question = None;
        self.lost.clear();
        self.deferred.clear();
        self.outcome = None;
        self.steps.clear();
        let (machine, commands) =
            Machine::resume(definition.config.clone(), self.record.iter().cloned(), now_ms)?;
        // The machine has already begun the turn that its first request belongs to.
        self.first_turn = machine.turn().saturating_sub(1);
        self.machine = Some(machine);
        self.execute(commands, now_ms);
        if self.is_stopped {
            self.feed(Input::Cancel, now_ms);
        }
        Ok(())
    }

    /// Passes an input to the machine and executes its commands.
    fn feed(&mut self, input: Input, now_ms: u64) {
        if let Some(machine) = &mut self.machine {
            let commands = machine.step(input, now_ms);
            self.execute(commands, now_ms);
        }
    }

    /// Executes the commands that are not work, and schedules steps for the others.
    fn execute(&mut self, commands: Vec<Command>, now_ms: u64) {
        let mut replies = Vec::new();
        for command in commands {
            let step = self.machine.as_ref().and_then(|machine| machine.step_of(&command));
            match command {
                Command::Record(entry) => self.record.push(entry),
                Command::Show(event) => self.keep_event(event),
                Command::CloseStream => {
                    if let Some((number, _)) = self.sending.take() {
                        self.drop_step(number);
                    }
                }
                Command::RunSpeculatively { answer, call } => {
                    let outcome = Box::new(SpeculativeOutcome::NotBegun);
                    replies.push(Input::Speculative { answer, call: call.id, outcome });
                }
                Command::Ask(request) => match self.answers.remove(&request.request_id) {
                    Some(decision) => replies.push(self.answer(decision)),
                    None => self.approvals.push(*request),
                },
                Command::Interrupt { id, question } => {
                    if let Some((_, words)) = self.replies.remove(&id.number) {
                        replies.push(Input::InterruptReply { id, words });
                    } else {
                        self.question = Some((id, question));
                    }
                }
                Command::Withdraw { id } => {
                    self.question.take_if(|(open, _)| *open == id);
                }
                Command::Collect(call) => {
                    replies.push(if let Some(result) = self.results.remove(&call.id) {
                        Input::Result(result)
                    } else {
                        self.deferred.insert(call.id.clone());
                        Input::Deferred(call.id)
                    });
                }
                Command::Abort => self.changes.push(StepChange::StopCalls),
                Command::Done(outcome) => self.outcome = Some(outcome),
                command => {
                    if let Some(step) = step {
                        self.schedule(command, &step);
                    }
                }
            }
        }
        for reply in replies {
            self.feed(reply, now_ms);
        }
        self.renew_grants();
    }

    /// Stops a step. A step that has not started is removed.
    fn drop_step(&mut self, number: u64) {
        let before = self.steps.len();
        self.steps.retain(|step| step.number != number);
        if self.steps.len() == before {
            self.changes.push(StepChange::Drop(number));
        }
    }

    fn keep_event(&mut self, event: Event) {
        match &event {
            Event::ApprovalEnded { outcome } => self.close_approval(outcome.request_id()),
            Event::ApprovalPostponed { request_id } => self.close_approval(request_id),
            _ => {}
        }
        self.events.push_back(event);
        if self.events.len() > KEPT_EVENTS {
            self.events.pop_front();
            self.first_event = self.first_event.saturating_add(1);
        }
    }

    fn close_approval(&mut self, request_id: &str) {
        self.approvals.retain(|request| request.request_id != request_id);
    }

    /// Returns the time of the next deadline.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        if self.outcome.is_some() {
            return None;
        }
        self.machine.as_ref().and_then(Machine::next_deadline)
    }

    /// Informs the machine that the time has changed.
    pub(crate) fn tick(&mut self, now_ms: u64) {
        self.feed(Input::Tick, now_ms);
    }

    /// Returns the changes of running steps since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<StepChange> {
        std::mem::take(&mut self.changes)
    }

    /// Returns the steps to start.
    pub(crate) fn take_steps(&mut self) -> Vec<ScheduledStep> {
        std::mem::take(&mut self.steps).into()
    }

    /// Returns true if the machine must be built again from the record once no step runs. Steps that are
    /// scheduled run first, because the record already announces them.
    pub(crate) fn needs_resume(&self) -> bool {
        !self.lost.is_empty() && self.steps.is_empty()
    }

    /// Returns true if the run is suspended: it waits for a letter without a machine.
    pub(crate) fn is_suspended(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Suspended { .. }))
    }
}
