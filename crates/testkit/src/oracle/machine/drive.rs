//! A machine that is driven by bytes, with an outside that answers what it was asked, or what it was not.

use std::collections::BTreeSet;

use windlass_hitl::{
    ApprovalDecision, ApprovalOutcome, ApprovalRequest, Binding, Facts, Grants, Learned, Policy, Reason,
    Source, decide,
};
use windlass_loop::{
    Ahead, Config, EarlyRefusal, Effect as Want, Entry, Input, Judgement, Machine, OfferedTool, Repairs,
    StreamFailure,
};
use windlass_protocol::{
    CallId, Control, Effect, Hints, ResultStatus, StopReason, ToolCall, ToolName, ToolResult, ToolSpec,
};
use windlass_stream::{CallChunk, CallKey, Chunk, StreamError, StreamErrorKind, WholeCall};
use windlass_wire::check_pairing;

const IDS: &[&str] = &["", "c1", "c2", "c3"];
const NAMES: &[&str] = &["look", "change", "done", "fly", ""];
const ARGUMENTS: &[&str] = &[
    "{}",
    r#"{"a":1}"#,
    r#"{"result":"r"}"#,
    r#"{"path":"/x","content":"y"#,
    r#"","b":2}"#,
    "[1]",
    "",
    r#"{"a":1,}"#,
];
const STATUSES: &[ResultStatus] =
    &[ResultStatus::Ok, ResultStatus::Error, ResultStatus::Cancelled, ResultStatus::TimedOut];

pub(super) struct Drive {
    machine: Machine,
    pub(super) record: Vec<Entry>,
    to_judge: Vec<ToolCall>,
    asked: Vec<String>,
    running: Vec<CallId>,
    ran: BTreeSet<CallId>,
    /// Calls that were begun while their answer streamed, with the answer, until they come back.
    ahead: Vec<(u64, ToolCall)>,
    /// Those that ran, and the answers that came to nothing.
    ran_ahead: BTreeSet<(u64, CallId)>,
    void: BTreeSet<u64>,
    early: Option<(u64, CallKey)>,
    is_over: bool,
    now_ms: u64,
}

fn spec(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object"}"#.parse().expect("the schema is JSON");
    ToolSpec::function(ToolName::new(name).expect("a plain name"), "A tool.", schema)
}

/// `look` reads, `change` writes, `done` completes.
pub(super) fn config() -> Config {
    let done = Hints { control: Control::Completion, ..Hints::default() };
    let tools = [("look", Hints::read_only()), ("change", Hints::default()), ("done", done)];
    let tools = tools.map(|(name, hints)| OfferedTool::new(spec(name), hints));
    Config::new("model", tools.to_vec()).with_repairs(Repairs::All)
}

fn pick<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}

impl Drive {
    pub(super) fn start() -> Self {
        let mut drive = Self {
            machine: Machine::new(config()),
            record: Vec::new(),
            to_judge: Vec::new(),
            asked: Vec::new(),
            running: Vec::new(),
            ran: BTreeSet::new(),
            ahead: Vec::new(),
            ran_ahead: BTreeSet::new(),
            void: BTreeSet::new(),
            early: None,
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
                let end = if broken { Err(StreamFailure::new("broke", by < 128)) } else { Ok(()) };
                self.step(Input::StreamEnd(end));
            }
            7 | 8 if !self.to_judge.is_empty() => self.judge(by),
            9 if self.ahead.is_empty() => self.judge(by),
            7..=9 => self.come_back(by),
            10 => self.approve(by),
            11 | 12 => self.end_call(by),
            13 => self.refuse_early(by),
            14 => self.step(if by == 255 {
                Input::Cancel
            } else {
                Input::Guidance((by.is_multiple_of(2)).then(|| "go on".into()))
            }),
            _ => {
                self.now_ms = self.now_ms.saturating_add(u64::from(by).saturating_mul(2_000));
                self.step(Input::Tick);
            }
        }
    }

    fn judge(&mut self, by: u8) {
        if self.to_judge.is_empty() {
            return;
        }
        let call = self.to_judge.remove(usize::from(by) % self.to_judge.len());
        let judgement = Box::new(Self::judgement(&call, by));
        self.step(Input::Judged { call: call.id, judgement });
    }

    /// A call that was begun while its answer streamed comes back, perhaps when that answer is void.
    fn come_back(&mut self, by: u8) {
        if self.ahead.is_empty() {
            return;
        }
        let (answer, call) = self.ahead.remove(usize::from(by) % self.ahead.len());
        let outcome = match (by % 8, Self::judgement(&call, by)) {
            (0, _) => Ahead::NotBegun,
            (1, Judgement::Decided { facts, decision, .. }) => {
                Ahead::Fatal { facts, decision, message: "it broke".into() }
            }
            (2 | 3, judgement) | (_, judgement @ Judgement::Refused(_)) => Ahead::Judged(judgement),
            (_, Judgement::Decided { facts, decision, .. }) => {
                if !self.void.contains(&answer) {
                    self.ran_ahead.insert((answer, call.id.clone()));
                }
                let result = ToolResult::text(call.id.clone(), pick(STATUSES, by / 8), "text");
                Ahead::Ran { facts, decision, result }
            }
        };
        self.step(Input::Ahead { answer, call: call.id, outcome: Box::new(outcome) });
    }

    fn judgement(call: &ToolCall, by: u8) -> Judgement {
        let effects = match call.name.as_str() {
            "look" | "done" => vec![Effect::Internal],
            _ if by.is_multiple_of(5) => vec![Effect::Write { path: "../outside".into(), bytes: None }],
            _ => vec![Effect::Write { path: "a.txt".into(), bytes: None }],
        };
        let facts = Facts::new(call.name.clone(), Hints::default(), call, effects);
        let decision = decide(&Policy::default(), &Grants::default(), &Learned::default(), &facts);
        let spec = spec("look");
        let digest = Binding { facts: &facts, call, spec: &spec, root: "/", epoch: "" }.digest();
        let id = format!("ask-{}", call.id);
        let request = ApprovalRequest::new(id, call.clone(), &facts, &decision, digest);
        if by.is_multiple_of(7) {
            Judgement::Refused(ToolResult::text(call.id.clone(), ResultStatus::InvalidArguments, "no"))
        } else {
            Judgement::Decided { facts: Box::new(facts), decision, request: Some(Box::new(request)) }
        }
    }

    fn approve(&mut self, by: u8) {
        // Also answers to what nobody asked.
        let id = if self.asked.is_empty() { "ask-nothing".to_owned() } else { self.asked.remove(0) };
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
        self.step(Input::Result(ToolResult::text(id, pick(STATUSES, by), "text")));
    }

    fn refuse_early(&mut self, by: u8) {
        let (answer, key) = self.early.unwrap_or((u64::from(by), CallKey(0)));
        let refusal = if by.is_multiple_of(2) {
            EarlyRefusal::Denied(Reason::new("f.outside_write", Source::Builtin, "outside"))
        } else {
            EarlyRefusal::Refused { status: ResultStatus::InvalidArguments, text: "wrong".into() }
        };
        self.step(Input::RefusedEarly { answer, key, refusal });
    }

    fn step(&mut self, input: Input) {
        let mut intent = None;
        for effect in self.machine.step(input, self.now_ms) {
            let is_work = matches!(
                effect,
                Want::Send { .. } | Want::Run(_) | Want::RunAhead { .. } | Want::Ask(_) | Want::Decide(_)
            );
            assert!(!(self.is_over && is_work), "work is wanted after the end: {effect:?}");
            match effect {
                Want::Record(entry) => {
                    assert!(!self.is_over, "something is written down after the end: {entry:?}");
                    if let Entry::Intent { call } = &entry {
                        intent = Some(call.clone());
                    }
                    self.record.push(entry);
                }
                Want::Send { request, .. } => {
                    check_pairing(&request.messages).expect("every request can be sent");
                    assert!(self.running.is_empty(), "the model is asked while calls run");
                    let waits = |(answer, _): &(u64, ToolCall)| !self.void.contains(answer);
                    assert!(!self.ahead.iter().any(waits), "the model is asked while calls run ahead");
                    // Ids of an answer may come again in a later one.
                    self.ran_ahead.clear();
                }
                Want::Decide(call) => self.to_judge.push(call),
                Want::Ask(request) => self.asked.push(request.request_id),
                Want::Run(call) => {
                    assert_eq!(intent.as_ref(), Some(&call.id), "the intent is written before a call runs");
                    assert!(self.ran.insert(call.id.clone()), "{} runs twice", call.id);
                    let has_run = self.ran_ahead.iter().any(|(_, ran)| *ran == call.id);
                    assert!(!has_run, "{} ran ahead and runs again", call.id);
                    self.running.push(call.id);
                }
                Want::RunAhead { answer, call } => self.ahead.push((answer, call)),
                Want::AbandonAhead { answer } => {
                    self.void.insert(answer);
                    self.ran_ahead.retain(|(of, _)| *of != answer);
                }
                Want::CheckEarly { answer, key, .. } => self.early = Some((answer, key)),
                Want::Done(_) => self.is_over = true,
                _ => {}
            }
        }
    }
}

fn chunk(kind: u8, by: u8) -> Chunk {
    let key = CallKey(u64::from(by % 3));
    let (id, name) = (pick(IDS, by), pick(NAMES, by / 4));
    let arguments = pick(ARGUMENTS, by / 8).to_owned();
    match kind {
        0 | 1 => Chunk::text(id),
        2 => Chunk::reasoning(name),
        3..=5 => Chunk::Call(CallChunk::Whole {
            id: Some(id.into()),
            name: name.into(),
            body: WholeCall::Arguments(arguments),
            opaque: None,
        }),
        6 | 7 => Chunk::Call(CallChunk::Start { key, id: Some(id.into()), name: name.into(), opaque: None }),
        8..=10 => Chunk::Call(CallChunk::Delta { key, arguments }),
        11 => Chunk::Call(CallChunk::End { key, arguments: None }),
        12 if by > 240 => {
            Chunk::Error { error: StreamError::new(StreamErrorKind::Overloaded, None, "overloaded") }
        }
        _ => {
            let reasons = [
                StopReason::End,
                StopReason::Calls,
                StopReason::Length,
                StopReason::Refusal,
                StopReason::Pause,
            ];
            let reason = reasons[usize::from(by) % reasons.len()].clone();
            Chunk::Finish { reason, raw: "raw".into() }
        }
    }
}
