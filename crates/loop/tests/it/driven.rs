//! A machine that a test drives by hand, with queries about its effects.

use windlass_hitl::{
    ApprovalDecision, ApprovalHistory, ApprovalOutcome, ApprovalRequest, Binding, Decision, Grants, Policy,
    PolicyInput, decide,
};
use windlass_loop::{
    CallDecision, CallStart, Command, Config, Entry, Event, Input, InterruptId, Machine, OfferedTool,
    Outcome, RunLimits,
};
use windlass_protocol::{
    CallId, Control, Effect, Hints, History, Message, Part, ResultStatus, Role, StopReason, ToolCall,
    ToolName, ToolResult, ToolSpec,
};
use windlass_stream::{CallChunk, Chunk, WholeCall};

pub(crate) struct Driven {
    pub(crate) machine: Machine,
    pub(crate) effects: Vec<Command>,
    pub(crate) now: u64,
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", r#"{"type":"object"}"#.parse().unwrap())
}

/// `look` reads, `change` writes, `done` completes.
pub(crate) fn config() -> Config {
    early().with_call_start(CallStart::AfterAnswer)
}

/// Like `config`, with calls that start while their answer streams.
pub(crate) fn early() -> Config {
    let done = Hints { control: Control::Completion, ..Hints::default() };
    Config::new(
        "model",
        vec![
            OfferedTool::new(spec("look"), Hints::read_only()),
            OfferedTool::new(spec("change"), Hints::default()),
            OfferedTool::new(spec("done"), done),
        ],
    )
}

/// The same tools, and `hand`, which is the last call of its answer.
pub(crate) fn with_hand() -> Config {
    let hand = Hints { control: Control::Last, ..Hints::default() };
    let mut tools = config().tools;
    tools.push(OfferedTool::new(spec("hand"), hand));
    let mut with = config();
    with.tools = tools;
    with
}

pub(crate) fn limits(change: impl FnOnce(&mut RunLimits)) -> Config {
    let mut limits = RunLimits::default();
    change(&mut limits);
    config().with_limits(limits)
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Chunk {
    Chunk::Call(CallChunk::Whole {
        id: Some(id.into()),
        name: name.into(),
        body: WholeCall::Arguments(arguments.into()),
        opaque: None,
    })
}

pub(crate) fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { reason, raw: "raw".into() }
}

impl Driven {
    pub(crate) fn start(config: Config) -> Self {
        let mut machine = Machine::new(config);
        let effects = machine.step(Input::Start { task: "the task".into() }, 0);
        Self { machine, effects, now: 0 }
    }

    pub(crate) fn step(&mut self, input: Input) -> &[Command] {
        let effects = self.machine.step(input, self.now);
        self.effects.extend(effects);
        &self.effects
    }

    /// The model answers with these chunks.
    pub(crate) fn answer(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        self.effects.clear();
        let mut has_calls = false;
        for chunk in chunks {
            has_calls |= matches!(chunk, Chunk::Call(_));
            self.step(Input::Chunk(chunk));
        }
        self.step(Input::Chunk(finish(if has_calls { StopReason::Calls } else { StopReason::End })));
        self.step(Input::StreamEnd(Ok(())));
    }

    /// The calls that the machine wants decided.
    pub(crate) fn to_decide(&self) -> Vec<ToolCall> {
        self.effects
            .iter()
            .filter_map(|want| if let Command::Decide(call) = want { Some(call.clone()) } else { None })
            .collect()
    }

    /// The calls that the machine wants begun while their answer streams.
    pub(crate) fn ahead(&self) -> Vec<ToolCall> {
        self.effects
            .iter()
            .filter_map(|want| {
                if let Command::RunSpeculatively { call, .. } = want { Some(call.clone()) } else { None }
            })
            .collect()
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.effects
            .iter()
            .filter_map(|want| if let Command::Run(call) = want { Some(call.id.to_string()) } else { None })
            .collect()
    }

    /// Decides about a call: `change` is asked for, everything else is let through.
    pub(crate) fn decide_call(&mut self, call: &ToolCall) {
        let effects = match call.name.as_str() {
            "change" => vec![Effect::Write { path: "a.txt".into(), bytes: None }],
            _ => vec![Effect::Internal],
        };
        let facts = PolicyInput::new(call.name.clone(), Hints::default(), call, effects);
        let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
        let request = Some(Box::new(request(call, &facts, &decision)));
        let decision = Box::new(CallDecision::Decided { facts: Box::new(facts), decision, request });
        self.step(Input::Decided { call: call.id.clone(), decision });
    }

    pub(crate) fn decide_all(&mut self) {
        for call in self.to_decide() {
            self.decide_call(&call);
        }
    }

    pub(crate) fn approve(&mut self, id: &str) {
        let decision = ApprovalDecision::approve(format!("ask-{id}"));
        self.step(Input::Approval(ApprovalOutcome::Answered(decision)));
    }

    /// Returns the question to the human that was asked last.
    pub(crate) fn asked(&self) -> InterruptId {
        let mut asked = self.effects.iter().rev();
        asked
            .find_map(|want| if let Command::Interrupt { id, .. } = want { Some(*id) } else { None })
            .unwrap()
    }

    /// The human answers that question, or does not answer.
    pub(crate) fn guide(&mut self, words: Option<&str>) {
        let (id, words) = (self.asked(), words.map(str::to_owned));
        self.step(Input::InterruptReply { id, words });
    }

    pub(crate) fn result(&mut self, id: &str, status: ResultStatus) {
        let result = ToolResult::text(CallId::new(id).unwrap(), status, "text");
        self.step(Input::Result(result));
    }

    /// The statuses of the last results message of the conversation, in order.
    pub(crate) fn statuses(&self) -> Vec<(String, ResultStatus)> {
        let messages = self.machine.transcript().messages();
        let results = messages.iter().rev().find(|message| message.role == Role::Tool).unwrap();
        results
            .parts
            .iter()
            .map(|part| match part {
                Part::Result(result) => (result.call.to_string(), result.status),
                other => panic!("a results message holds {other:?}"),
            })
            .collect()
    }

    pub(crate) fn texts_of_results(&self) -> String {
        let messages = self.machine.transcript().messages();
        let parts = messages.iter().flat_map(|message| &message.parts);
        parts
            .filter_map(|part| if let Part::Result(result) = part { Some(result.wire_text()) } else { None })
            .collect()
    }

    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.effects
            .iter()
            .find_map(|want| if let Command::Done(outcome) = want { Some(outcome) } else { None })
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.effects.iter().any(|want| matches!(want, Command::Send { .. }))
    }

    pub(crate) fn events(&self) -> Vec<&Event> {
        self.effects
            .iter()
            .filter_map(|want| if let Command::Show(event) = want { Some(event) } else { None })
            .collect()
    }
}

pub(crate) fn request(call: &ToolCall, facts: &PolicyInput, decision: &Decision) -> ApprovalRequest {
    let spec = spec(call.name.as_str());
    let digest = Binding { facts, call, spec: &spec, root: "/", epoch: "" }.digest();
    ApprovalRequest::new(format!("ask-{}", call.id), call.clone(), facts, decision, digest)
}

pub(crate) fn entries(effects: &[Command]) -> Vec<Entry> {
    effects
        .iter()
        .filter_map(|want| if let Command::Record(entry) = want { Some(entry.clone()) } else { None })
        .collect()
}

/// Every call has exactly one result, right after its answer, in call order (R1).
#[track_caller]
pub(crate) fn check_paired(messages: &History) {
    for (at, message) in messages.iter().enumerate() {
        assert!(!message.parts.is_empty(), "message {at} is empty");
        let calls: Vec<_> = message.calls().map(|call| call.id.clone()).collect();
        let next = messages.get(at + 1).filter(|next| next.role == Role::Tool);
        let results: Vec<_> = next
            .map(|next| {
                next.parts
                    .iter()
                    .map(|part| match part {
                        Part::Result(result) => result.call.clone(),
                        other => panic!("a results message holds {other:?}"),
                    })
                    .collect()
            })
            .unwrap_or_default();
        assert_eq!(calls, results, "message {at}");
    }
    let mut seen = std::collections::BTreeSet::new();
    for call in messages.iter().flat_map(Message::calls) {
        assert!(seen.insert(call.id.clone()), "the id {} comes twice", call.id);
    }
}
