//! The reference driver: a machine, a list or a given journal for its records, and a simulated outside world.

use std::collections::{BTreeMap, VecDeque};

use windlass_hitl::{
    ApprovalDecision, ApprovalHistory, ApprovalOutcome, ApprovalRequest, Binding, Grants, Policy,
    PolicyInput, decide,
};
use windlass_journal::{Durability, Journal};
use windlass_loop::{
    CallDecision, CallStart, Command, Config, Entry, Input, Machine, OfferedTool, Outcome, Step, StepClass,
    UnansweredPolicy,
};
use windlass_protocol::{Effect, Hints, Request, ResultStatus, ToolCall, ToolName, ToolResult, ToolSpec};
use windlass_wire::check_pairing;

use super::job::{ASK, KEEP, LOOK, MARK};
use super::{EndOfPart, Harness, Job, LeftState};

/// The kinds of records before and after which a process can die.
const RECORDS: [&str; 9] =
    ["started", "resumed", "answered", "judged", "asked", "approval", "intent", "result", "finished"];
/// The prefixes of step keys before and after which a process can die.
const STEPS: [&str; 6] = ["model", "judge", "tool-look", "tool-keep", "tool-mark", "tool-ask"];

/// Opens the journal of a run in a new process. The argument is the number of the run, from 1.
type JournalOpener = Box<dyn FnMut(u32) -> Result<Box<dyn Journal + Send>, String>>;

/// Drives the machine with in-memory lists. Each piece of work is identified by its step.
#[derive(Default)]
pub struct MachineHarness {
    opener: Option<JournalOpener>,
    journal: Option<Box<dyn Journal + Send>>,
    runs: u32,
    job: Option<Job>,
    record: Vec<Entry>,
    acknowledged: u64,
    /// The externally visible effects, by call.
    seen: BTreeMap<String, u32>,
    unpaired: Vec<String>,
    answers: BTreeMap<String, bool>,
    fuse: Option<String>,
    /// All performed steps, with the generation in which each was last performed.
    done: BTreeMap<String, u32>,
}

/// The error for a dead process, which performs nothing more.
struct Dead;

impl Harness for MachineHarness {
    fn points(&self) -> Vec<String> {
        let each = |what: &'static str| {
            [1, 2].map(move |nth| ["before", "after"].map(|when| format!("{when}:{what}:{nth}")))
        };
        RECORDS.into_iter().chain(STEPS).flat_map(each).flatten().collect()
    }

    fn kill(&mut self, at: Option<&str>) {
        self.fuse = at.map(str::to_owned);
    }

    fn start(&mut self, job: &Job) -> Result<EndOfPart, String> {
        *self = Self {
            job: Some(job.clone()),
            fuse: self.fuse.take(),
            opener: self.opener.take(),
            runs: self.runs.saturating_add(1),
            ..Self::default()
        };
        self.process()
    }

    fn restart(&mut self) -> Result<EndOfPart, String> {
        self.process()
    }

    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String> {
        let is_asked = self
            .record
            .iter()
            .any(|entry| matches!(entry, Entry::Asked { request } if request.call.id.as_str() == call));
        if !is_asked {
            return Err(format!("the question about {call} is missing"));
        }
        self.answers.insert(call.to_owned(), yes);
        Ok(())
    }

    fn result(&self) -> Result<LeftState, String> {
        let statuses = self.record.iter().filter_map(|entry| match entry {
            Entry::Result { result } => Some((result.call.to_string(), result.status)),
            _ => None,
        });
        let text = self.record.iter().rev().find_map(|entry| match entry {
            Entry::Finished { outcome: Outcome::Completed { text } } => Some(text.clone()),
            _ => None,
        });
        Ok(LeftState {
            acknowledged: self.acknowledged,
            records: self.record.len() as u64,
            statuses: statuses.collect(),
            seen: self.seen.clone(),
            unpaired: self.unpaired.clone(),
            text,
        })
    }
}

impl MachineHarness {
    /// Creates a driver whose records are in the journal that `opener` opens for each process. A process that
    /// dies drops its journal; nothing else of it remains.
    pub fn over_journal(
        opener: impl FnMut(u32) -> Result<Box<dyn Journal + Send>, String> + 'static,
    ) -> Self {
        Self { opener: Some(Box::new(opener)), ..Self::default() }
    }

    /// Opens the journal, and reads the records that the earlier processes left in it.
    fn open_journal(&mut self) -> Result<(), String> {
        let Some(opener) = &mut self.opener else { return Ok(()) };
        let journal = opener(self.runs)?;
        let records = journal.records().map_err(|error| error.to_string())?;
        let entries = records.iter().map(|record| record.read().map_err(|error| error.to_string()));
        self.record = entries.collect::<Result<_, String>>()?;
        self.journal = Some(journal);
        Ok(())
    }

    /// Runs one process from the record until the run ends or waits, or the process dies.
    fn process(&mut self) -> Result<EndOfPart, String> {
        self.open_journal()?;
        let ended = self.drive();
        self.journal = None;
        ended
    }

    fn drive(&mut self) -> Result<EndOfPart, String> {
        let mut fuse = Fuse::new(self.fuse.take());
        let (mut machine, effects) = if self.record.is_empty() {
            let mut machine = Machine::new(config());
            let effects = machine.step(Input::Start { task: "the job".into() }, 0);
            (machine, effects)
        } else {
            let resumed = Machine::resume(config(), self.record.clone(), 0);
            match resumed {
                Ok(resumed) => resumed,
                Err(windlass_loop::ResumeError::Completed) => return Ok(EndOfPart::Done),
                Err(error) => return Err(error.to_string()),
            }
        };
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            let step = machine.step_of(&effect);
            let mut inputs = Vec::new();
            let ended = match self.perform(effect, step.as_ref(), &mut fuse, &mut inputs) {
                Ok(ended) => ended,
                Err(Dead) => return Ok(EndOfPart::Died),
            };
            if let Some(outcome) = ended {
                return to_end(outcome);
            }
            for input in inputs {
                effects.extend(machine.step(input, 0));
            }
        }
        Err("nothing is left to do, and the run is not over".to_owned())
    }

    /// Performs one effect. All effects pass through this function.
    fn perform(
        &mut self,
        effect: Command,
        step: Option<&Step>,
        fuse: &mut Fuse,
        inputs: &mut Vec<Input>,
    ) -> Result<Option<Outcome>, Dead> {
        let name = match (&effect, step) {
            (Command::Record(entry), _) => kind_of(entry),
            (_, Some(step)) => step.key.clone(),
            _ => String::new(),
        };
        fuse.burn("before", &name)?;
        match effect {
            Command::Record(entry) => {
                if let Some(journal) = &mut self.journal {
                    let text = serde_json::to_string(&entry).expect("an entry is JSON");
                    let body = text.parse().expect("an entry is JSON");
                    // The simulated process dies; the machine does not, so a synced write would show nothing more.
                    journal.append(body, 0, Durability::Buffered).expect("the journal stores a record");
                }
                self.record.push(entry);
                self.acknowledged = self.record.len() as u64;
            }
            Command::Send { request, .. } => self.answer(&request, inputs),
            Command::Decide(call) => inputs.push(decide_call(&call)),
            Command::Ask(request) => inputs.push(self.answer_approval(&request)),
            Command::Run(call) => {
                let step = step.expect("a call that runs is a step");
                self.once(step);
                if call.name.as_str() != LOOK {
                    let seen = self.seen.entry(call.id.to_string()).or_default();
                    // Storing under the same id any number of times is one effect.
                    *seen = if call.name.as_str() == KEEP { 1 } else { seen.saturating_add(1) };
                }
                inputs.push(Input::Result(ToolResult::text(call.id, ResultStatus::Ok, "fine")));
            }
            Command::Collect(call) => inputs.push(Input::Deferred(call.id)),
            Command::Reconcile { call, .. } => {
                let aftermath = windlass_protocol::ReconcileOutcome::Unknown;
                inputs.push(Input::Reconciled { call: call.id, outcome: aftermath });
            }
            Command::Done(outcome) => return Ok(Some(outcome)),
            _ => {}
        }
        fuse.burn("after", &name)?;
        Ok(None)
    }

    /// Records a step, and reports a violation if a `Once` step is performed again in any process.
    fn once(&mut self, step: &Step) {
        let before = self.done.insert(step.key.clone(), step.generation);
        if let (Some(before), StepClass::Once) = (before, step.class) {
            self.unpaired.push(format!(
                "{} was done in generation {before} and again in {}",
                step.key, step.generation
            ));
        }
    }

    fn answer(&mut self, request: &Request, inputs: &mut Vec<Input>) {
        if let Err(error) = check_pairing(&request.messages) {
            self.unpaired.push(error.to_string());
        }
        let chunks = self.job.as_ref().map(|job| job.answer(request)).unwrap_or_default();
        inputs.extend(chunks.into_iter().map(Input::Chunk));
        inputs.push(Input::StreamEnd(Ok(())));
    }

    fn answer_approval(&self, request: &ApprovalRequest) -> Input {
        let request_id = request.request_id.clone();
        Input::Approval(match self.answers.get(request.call.id.as_str()) {
            None => ApprovalOutcome::NoApprover { request_id },
            Some(true) => ApprovalOutcome::Answered(ApprovalDecision::approve(request_id)),
            Some(false) => ApprovalOutcome::Answered(ApprovalDecision::deny(request_id, None)),
        })
    }
}

fn to_end(outcome: Outcome) -> Result<EndOfPart, String> {
    match outcome {
        Outcome::Completed { .. } => Ok(EndOfPart::Done),
        Outcome::Suspended { waits } => {
            let calls = waits.iter().filter_map(|wait| match wait {
                windlass_loop::Wait::Approval { call, .. } => Some(call.to_string()),
                _ => None,
            });
            Ok(EndOfPart::Waits(calls.collect()))
        }
        other => Err(format!("it ended: {other:?}")),
    }
}

/// Counts records and steps, and ends the simulated process at the configured point.
struct Fuse {
    point: Option<(String, String, u32)>,
    passed: u32,
}

impl Fuse {
    fn new(point: Option<String>) -> Self {
        let point = point.and_then(|point| {
            let mut parts = point.split(':').map(str::to_owned);
            Some((parts.next()?, parts.next()?, parts.next()?.parse().ok()?))
        });
        Self { point, passed: 0 }
    }

    fn burn(&mut self, when: &str, name: &str) -> Result<(), Dead> {
        let Some((at, what, nth)) = &self.point else { return Ok(()) };
        if at == when && name.starts_with(what.as_str()) {
            self.passed = self.passed.saturating_add(1);
            if self.passed == *nth {
                return Err(Dead);
            }
        }
        Ok(())
    }
}

fn kind_of(entry: &Entry) -> String {
    let value = serde_json::to_value(entry).unwrap_or_default();
    value.get("entry").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()
}

fn spec(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object"}"#.parse().expect("the schema is JSON");
    ToolSpec::function(ToolName::new(name).expect("a plain name"), "A tool.", schema)
}

fn config() -> Config {
    let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
    let tools = [(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
    let tools = tools.map(|(name, hints)| OfferedTool::new(spec(name), hints));
    Config::new("model", tools.to_vec())
        .with_unanswered(UnansweredPolicy::Suspend)
        .with_call_start(CallStart::AfterAnswer)
}

/// Returns the policy's decision: a call of `ask` needs approval, all others are allowed.
fn decide_call(call: &ToolCall) -> Input {
    let effect = match call.name.as_str() {
        ASK => Effect::Write { path: "a.txt".into(), bytes: None },
        _ => Effect::Internal,
    };
    let facts = PolicyInput::new(call.name.clone(), Hints::default(), call, vec![effect]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let spec = spec(call.name.as_str());
    let digest = Binding { facts: &facts, call, spec: &spec, root: "/", epoch: "" }.digest();
    let request = ApprovalRequest::new(format!("ask-{}", call.id), call.clone(), &facts, &decision, digest);
    let decision =
        CallDecision::Decided { facts: Box::new(facts), decision, request: Some(Box::new(request)) };
    Input::Decided { call: call.id.clone(), decision: Box::new(decision) }
}

impl std::fmt::Debug for MachineHarness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachineHarness")
            .field("runs", &self.runs)
            .field("acknowledged", &self.acknowledged)
            .finish_non_exhaustive()
    }
}
