//! A driver that derives its operations from bytes, including answers to questions that the machine did not
//! ask.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_assemble::CallIndex;
use windlass_hitl::{ApprovalDecision, ApprovalOutcome, Reason, Source};
use windlass_loop::{
    BudgetUsage, CallDecision, Command, DeliverAt, EarlyRefusal, Entry, Input, InterruptId, Machine,
    ResumeError, SpeculativeOutcome, StreamFailure, UnansweredPolicy,
};
use windlass_protocol::{CallId, ReconcileOutcome, ResultStatus, ToolCall, ToolResult};
use windlass_wire::check_pairing;

use super::chunks::chunk;
use super::event_checks::EventChecks;
use super::outside::{config, decision};
use super::pick;

const STATUSES: &[ResultStatus] =
    &[ResultStatus::Ok, ResultStatus::Error, ResultStatus::Cancelled, ResultStatus::TimedOut];

pub(super) struct Drive {
    machine: Machine,
    pub(super) record: Vec<Entry>,
    undecided: Vec<ToolCall>,
    asked: Vec<String>,
    running: Vec<CallId>,
    ran: BTreeSet<CallId>,
    /// Speculative calls that were started while their answer streamed, with the number of that answer, until
    /// they return.
    ahead: Vec<(u64, ToolCall)>,
    /// The speculative calls that ran.
    ran_ahead: BTreeSet<(u64, CallId)>,
    void: BTreeSet<u64>,
    /// Calls that a crash interrupted, whose effects must be reconciled.
    to_look_back: Vec<CallId>,
    /// The tool names of calls that were decided or run.
    names: BTreeMap<CallId, String>,
    unanswered: UnansweredPolicy,
    /// True if all inputs and effects are serialised as JSON, as between processes.
    by_post: bool,
    early: Option<(u64, CallIndex)>,
    /// The last question to the human.
    consultation: InterruptId,
    shown: EventChecks,
    is_over: bool,
    now_ms: u64,
}

impl Drive {
    pub(super) fn start(unanswered: UnansweredPolicy, by_post: bool) -> Self {
        let mut drive = Self {
            machine: Machine::new(config(unanswered)),
            record: Vec::new(),
            undecided: Vec::new(),
            asked: Vec::new(),
            running: Vec::new(),
            ran: BTreeSet::new(),
            ahead: Vec::new(),
            ran_ahead: BTreeSet::new(),
            void: BTreeSet::new(),
            to_look_back: Vec::new(),
            names: BTreeMap::new(),
            unanswered,
            by_post,
            early: None,
            consultation: InterruptId::default(),
            shown: EventChecks::default(),
            is_over: false,
            now_ms: 0,
        };
        drive.step(Input::Start { task: "the task".into() });
        drive
    }

    pub(super) fn operate(&mut self, operation: u8, by: u8) {
        match operation % 16 {
            0..=4 => self.step(Input::Chunk(chunk(operation / 16, by))),
            5 | 6 => {
                let broken = by % 8 == 7;
                let failure = StreamFailure::new("broke", by < 128);
                let failure = if by & 16 == 0 { failure } else { failure.mark_length() };
                let end = if broken { Err(failure) } else { Ok(()) };
                self.step(Input::StreamEnd(end));
            }
            7 | 8 if !self.undecided.is_empty() => self.decide(by),
            9 if self.ahead.is_empty() => self.decide(by),
            7..=9 => self.return_speculative(by),
            10 => self.approve(by),
            11 | 12 => self.end_call(by),
            13 => self.refuse_early(by),
            14 => self.step(match by {
                255 => Input::Cancel,
                240..=245 => {
                    let used = BudgetUsage { requests: u64::from(by), tokens: 10, cost: 0 };
                    Input::Shared { used: [("child".to_owned(), used)].into(), grants: u64::from(by % 4) }
                }
                246..=254 => {
                    let when = if by.is_multiple_of(2) { DeliverAt::NextTurn } else { DeliverAt::AfterTask };
                    Input::Say { id: None, text: "more".into(), parts: Vec::new(), when }
                }
                // This includes answers to questions that are not open.
                _ => {
                    let id = if by % 8 < 6 { self.consultation } else { InterruptId::default() };
                    Input::InterruptReply { id, words: by.is_multiple_of(2).then(|| "go on".into()) }
                }
            }),
            15 if !self.to_look_back.is_empty() => self.look_back(by),
            15 if by == 255 => self.go_on_elsewhere(),
            _ => {
                self.now_ms = self.now_ms.saturating_add(u64::from(by).saturating_mul(2_000));
                self.step(Input::Tick);
            }
        }
    }

    fn decide(&mut self, by: u8) {
        if self.undecided.is_empty() {
            return;
        }
        let call = self.undecided.remove(usize::from(by) % self.undecided.len());
        let decision = Box::new(decision(&call, by));
        self.step(Input::Decided { call: call.id, decision });
    }

    /// Returns the outcome of a speculative call, possibly after its answer became void.
    fn return_speculative(&mut self, by: u8) {
        if self.ahead.is_empty() {
            return;
        }
        let (answer, call) = self.ahead.remove(usize::from(by) % self.ahead.len());
        let outcome = match (by % 8, decision(&call, by)) {
            (0, _) => SpeculativeOutcome::NotBegun,
            (1, CallDecision::Decided { facts, decision, .. }) => {
                SpeculativeOutcome::Fatal { facts, decision, message: "it broke".into() }
            }
            (2 | 3, decision) | (_, decision @ CallDecision::Refused(_)) => {
                SpeculativeOutcome::Decided(decision)
            }
            (_, CallDecision::Decided { facts, decision, .. }) => {
                if !self.void.contains(&answer) {
                    self.ran_ahead.insert((answer, call.id.clone()));
                }
                let result = ToolResult::text(call.id.clone(), pick(STATUSES, by / 8), "text");
                SpeculativeOutcome::Ran { facts, decision, result }
            }
        };
        self.step(Input::Speculative { answer, call: call.id, outcome: Box::new(outcome) });
    }

    fn approve(&mut self, by: u8) {
        // This includes answers to questions that were never asked.
        let id = if self.asked.is_empty() { "ask-nothing".to_owned() } else { self.asked.remove(0) };
        if by >= 240 {
            return self.step(Input::Approval(ApprovalOutcome::NoApprover { request_id: id }));
        }
        let decision = if by.is_multiple_of(2) {
            ApprovalDecision::approve(id)
        } else {
            ApprovalDecision::deny(id, None)
        };
        self.step(Input::Approval(ApprovalOutcome::Answered(decision)));
    }

    fn end_call(&mut self, by: u8) {
        let id = if self.running.is_empty() {
            CallId::new("c1").expect("a plain id")
        } else {
            self.running.remove(usize::from(by) % self.running.len())
        };
        if by % 32 == 31 {
            return self.step(Input::Fatal { call: id, message: "it broke".into() });
        }
        if by % 32 == 30 {
            return self.step(Input::Deferred(id));
        }
        self.step(Input::Result(ToolResult::text(id, pick(STATUSES, by), "text")));
    }

    fn look_back(&mut self, by: u8) {
        let call = self.to_look_back.remove(usize::from(by) % self.to_look_back.len());
        let names = || vec!["a.txt".to_owned()];
        let aftermath = match by % 5 {
            0 => ReconcileOutcome::Unknown,
            1 => ReconcileOutcome::Done,
            2 => ReconcileOutcome::Partly { done: names(), open: names() },
            3 => ReconcileOutcome::Changed { paths: names() },
            _ => {
                // The call did nothing yet, so it may still run.
                self.ran.remove(&call);
                ReconcileOutcome::NotBegun
            }
        };
        self.step(Input::Reconciled { call, outcome: aftermath });
    }

    /// Ends this process; another one resumes from the record.
    fn go_on_elsewhere(&mut self) {
        let config = config(self.unanswered);
        let resumed = Machine::resume(config, self.record.clone(), self.now_ms);
        if matches!(resumed, Err(ResumeError::Completed)) {
            return;
        }
        let (machine, effects) = resumed.expect("a record that the machine wrote can be resumed");
        // Read-only calls may run again. A call whose result returned before it was recorded did run.
        for call in std::mem::take(&mut self.running) {
            if matches!(self.names.get(&call).map(String::as_str), Some("look" | "done")) {
                self.ran.remove(&call);
            }
        }
        // A tool with its own record resumes from it.
        self.ran.retain(|call| self.names.get(call).is_none_or(|name| name != "child"));
        self.undecided.clear();
        self.asked.clear();
        self.ahead.clear();
        self.ran_ahead.clear();
        self.to_look_back.clear();
        self.early = None;
        self.shown.begin_process();
        self.is_over = false;
        self.machine = machine;
        self.perform(effects);
    }

    fn refuse_early(&mut self, by: u8) {
        let (answer, key) = self.early.unwrap_or((u64::from(by), CallIndex(0)));
        let refusal = if by.is_multiple_of(2) {
            EarlyRefusal::Denied(Reason::new("f.outside_write", Source::Builtin, "outside"))
        } else {
            EarlyRefusal::Refused {
                status: ResultStatus::InvalidArguments,
                text: "wrong".into(),
                advice: None,
            }
        };
        self.step(Input::RefusedEarly { answer, key, refusal });
    }

    fn step(&mut self, input: Input) {
        let input = if self.by_post { send_as_json(&input) } else { input };
        let effects = self.machine.step(input, self.now_ms);
        let effects = if self.by_post { send_as_json(&effects) } else { effects };
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Command>) {
        let mut intent = None;
        for effect in effects {
            let is_work = matches!(
                effect,
                Command::Send { .. }
                    | Command::Run(_)
                    | Command::RunSpeculatively { .. }
                    | Command::Ask(_)
                    | Command::Decide(_)
                    | Command::Reconcile { .. }
                    | Command::Collect(_)
            );
            assert!(!(self.is_over && is_work), "work is wanted after the end: {effect:?}");
            match effect {
                Command::Record(entry) => {
                    assert!(!self.is_over, "something is written down after the end: {entry:?}");
                    if let Entry::Intent { call } = &entry {
                        intent = Some(call.clone());
                    }
                    if let Entry::Interrupt { id, .. } = &entry {
                        assert!(id.number > self.consultation.number, "two questions have the id {id:?}");
                    }
                    self.record.push(entry);
                }
                Command::Send { request, .. } => {
                    check_pairing(&request.messages).expect("every request can be sent");
                    assert!(self.running.is_empty(), "the model is asked while calls run");
                    let waits = |(answer, _): &(u64, ToolCall)| !self.void.contains(answer);
                    assert!(!self.ahead.iter().any(waits), "the model is asked while calls run ahead");
                    // A later answer may reuse the ids of an earlier one.
                    self.ran_ahead.clear();
                }
                Command::Decide(call) => {
                    self.names.insert(call.id.clone(), call.name.to_string());
                    self.undecided.push(call);
                }
                Command::Collect(call) => self.running.push(call.id),
                Command::Reconcile { call, .. } => self.to_look_back.push(call.id),
                Command::Ask(request) => self.asked.push(request.request_id),
                Command::Run(call) => {
                    assert_eq!(intent.as_ref(), Some(&call.id), "the intent is written before a call runs");
                    assert!(self.ran.insert(call.id.clone()), "{} runs twice", call.id);
                    let has_run = self.ran_ahead.iter().any(|(_, ran)| *ran == call.id);
                    assert!(!has_run, "{} ran ahead and runs again", call.id);
                    self.running.push(call.id);
                }
                Command::RunSpeculatively { answer, call } => {
                    self.names.insert(call.id.clone(), call.name.to_string());
                    self.ahead.push((answer, call));
                }
                Command::AbandonSpeculative { answer } => {
                    self.void.insert(answer);
                    self.ran_ahead.retain(|(of, _)| *of != answer);
                }
                Command::Interrupt { id, .. } => self.consultation = id,
                Command::CheckEarly { answer, key, .. } => self.early = Some((answer, key)),
                Command::Show(event) => self.shown.follow(&event),
                Command::Done(_) => self.is_over = true,
                _ => {}
            }
        }
    }
}

/// Serialises and parses a value, as when it is sent to another process.
fn send_as_json<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("it can be sent");
    let read = serde_json::from_str(&text).expect("the sent request can be read");
    assert_eq!(value, &read, "it arrives as it was sent");
    read
}
