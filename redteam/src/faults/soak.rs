//! Ten thousand turns with random faults: broken answers, invalid calls, tools that fail and panic,
//! unanswered questions, conversations that are too long, and processes that end at any moment.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{StreamExt as _, stream};
use windlass_agent::{
    Agent, Approver, ApproverFuture, Condense, ContextLimits, Event, Limits, Outcome, RunOptions,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Durability, FileJournal, Journal, JournalError, Record};
use windlass_protocol::{
    Effect, Hints, History, Payload, RawJson, Request, Role, StopReason, ToolName, ToolSpec,
};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_testkit::split::SplitMix64;
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::check_pairing;

use super::end_fault;
use crate::observed::Ending;
use crate::scene::Scene;

/// The number of runs. `TURNS` is the number of answers of each.
const RUNS: u64 = 20;
const TURNS: usize = 500;
/// The inverse probability of a fault.
const ONE_IN: usize = 20;
/// The maximum number of events before a process ends; a run needs several processes.
const EVENTS: usize = 2_000;

/// The counts and the problems found.
#[derive(Default)]
struct SoakCounts {
    answers: AtomicUsize,
    faults: AtomicUsize,
    resumes: AtomicUsize,
    compactions: AtomicUsize,
    /// The number of compactions at the model's last request.
    at_last: AtomicUsize,
    wrong: Mutex<Vec<String>>,
    /// The conversation of the last request.
    last: Mutex<History>,
}

impl SoakCounts {
    fn wrong(&self, what: String) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep only the first problems.
        if wrong.len() < 20 {
            wrong.push(what);
        }
    }

    fn last(&self) -> MutexGuard<'_, History> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The random numbers that all parts of a run share.
#[derive(Clone)]
struct Luck(Arc<Mutex<SplitMix64>>);

impl Luck {
    fn pick_between(&self, least: usize, most: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).in_range(least, most)
    }

    fn is_bad(&self, seen: &SoakCounts) -> bool {
        let is_bad = self.pick_between(1, ONE_IN) == 1;
        seen.faults.fetch_add(usize::from(is_bad), Ordering::Relaxed);
        is_bad
    }
}

pub(super) fn run(scene: &Scene) -> anyhow::Result<Ending> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let seen = Arc::new(SoakCounts::default());
    let mut memory = Vec::new();
    let mut descriptors = Vec::new();
    for number in 0..RUNS {
        let journal = scene.workspace.join(format!("soak-{number}.journal"));
        runtime.block_on(one(&journal, number, &seen))?;
        fs::remove_file(&journal)?;
        memory.push(resident()?);
        descriptors.push(fs::read_dir("/proc/self/fd")?.count());
    }
    let mut why = seen.wrong.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // The first runs fill caches. Memory must not grow after them.
    let (early, late) =
        (memory.get(4).copied().unwrap_or_default(), memory.last().copied().unwrap_or_default());
    if late > early.saturating_mul(5) / 4 {
        why.push(format!("memory grew from {early} to {late} pages"));
    }
    if descriptors.windows(2).any(|pair| pair[0] != pair[1]) {
        why.push(format!("descriptors are not the same after each run: {descriptors:?}"));
    }
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    let observed = format!(
        "{} answers, {} faults, {} resumes, {} compactions; memory {early} to {late} pages, {} descriptors",
        count(&seen.answers),
        count(&seen.faults),
        count(&seen.resumes),
        count(&seen.compactions),
        descriptors.last().copied().unwrap_or_default()
    );
    Ok(end_fault(observed, why))
}

fn resident() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/statm")?;
    Ok(text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default())
}

/// Performs one run in as many processes as it needs. A process ends by being dropped in the middle.
async fn one(journal: &Path, number: u64, seen: &Arc<SoakCounts>) -> anyhow::Result<()> {
    let luck = Luck(Arc::new(Mutex::new(SplitMix64::new(number))));
    *seen.last() = History::new();
    let answers = Arc::new(AtomicUsize::new(0));
    let agent = agent(number, &luck, seen, &answers)?;
    let mut is_new = true;
    // The bound detects a run that does not end.
    for _ in 0..TURNS {
        // The run may have completed just before its process ended.
        if !is_new && crate::crash::is_done(journal)? {
            return Ok(());
        }
        let file = if is_new { FileJournal::create(journal)? } else { FileJournal::open(journal)?.0 };
        let options = RunOptions::default().with_journal(UnsyncedJournal(file, Arc::clone(seen)));
        let mut events = if is_new { agent.stream_with("soak", options) } else { agent.resume(options)? };
        is_new = false;
        let mut left = luck.pick_between(1, EVENTS);
        let mut outcome = None;
        while let Some(event) = events.next().await {
            if let Event::Finished { outcome: ended, .. } = event? {
                outcome = Some(ended);
            }
            left = left.saturating_sub(1);
            if left == 0 && outcome.is_none() {
                break;
            }
        }
        match outcome {
            Some(Outcome::Completed { .. }) => return Ok(()),
            // Any other outcome is resumed in another process.
            _ => seen.resumes.fetch_add(1, Ordering::Relaxed),
        };
    }
    seen.wrong(format!("run {number} does not come to its end"));
    Ok(())
}

fn agent(
    number: u64,
    luck: &Luck,
    seen: &Arc<SoakCounts>,
    answers: &Arc<AtomicUsize>,
) -> anyhow::Result<Agent> {
    let tool = |name: &str, hints| -> anyhow::Result<Arc<dyn Tool>> {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#.parse()?;
        let spec = ToolSpec::function(ToolName::new(name)?, "A tool.", schema);
        Ok(Arc::new(Unlucky { spec, hints, luck: luck.clone(), seen: seen.clone() }))
    };
    let tools = [tool("look", Hints::read_only())?, tool("change", Hints::default())?];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build()?;
    let condense = if number.is_multiple_of(2) { Condense::SumUp } else { Condense::LeaveOut };
    let model =
        Faulty { luck: luck.clone(), seen: seen.clone(), answers: answers.clone(), calls: AtomicU64::new(0) };
    let agent = Agent::builder()
        .model(model, "soak")
        .toolbox(toolbox)
        .limits(Limits { turns: 0, mistakes: 0, ..Limits::default() })
        .context(ContextLimits { window: 20_000, condense, ..ContextLimits::default() })
        .approver(Moody { luck: luck.clone(), seen: seen.clone() });
    Ok(agent.build()?)
}

/// A journal that does not wait for the disk, because only processes fail here and not machines.
struct UnsyncedJournal(FileJournal, Arc<SoakCounts>);

impl Journal for UnsyncedJournal {
    fn append(&mut self, body: RawJson, at_ms: u64, _: Durability) -> Result<u64, JournalError> {
        let is_compaction = body.as_str().starts_with(r#"{"entry":"compacted""#);
        self.1.compactions.fetch_add(usize::from(is_compaction), Ordering::Relaxed);
        self.0.append(body, at_ms, Durability::Buffered)
    }

    fn records(&self) -> Result<Vec<Record>, JournalError> {
        self.0.records()
    }
}

/// A model that answers or fails at random.
struct Faulty {
    luck: Luck,
    seen: Arc<SoakCounts>,
    answers: Arc<AtomicUsize>,
    calls: AtomicU64,
}

impl Model for Faulty {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            self.look_at(request);
            if self.luck.is_bad(&self.seen) {
                let kinds = [ModelErrorKind::Dropped, ModelErrorKind::Idle, ModelErrorKind::ContextLength];
                return Err(ModelError::new(
                    kinds[self.luck.pick_between(0, 2)],
                    "the provider is in a mood",
                ));
            }
            let mut chunks: Vec<_> = self.answer(request).into_iter().map(Ok).collect();
            if self.luck.is_bad(&self.seen) {
                chunks.truncate(self.luck.pick_between(0, chunks.len()));
                if self.luck.pick_between(0, 1) == 0 {
                    chunks.push(Err(ModelError::new(ModelErrorKind::Dropped, "the line broke")));
                }
            }
            Ok(Box::pin(stream::iter(chunks)) as ChunkStream)
        })
    }
}

impl Faulty {
    /// Checks that a request is valid, and that it begins with the previous request, even one of another
    /// process.
    fn look_at(&self, request: &Request) {
        if let Err(error) = check_pairing(&request.messages) {
            self.seen.wrong(format!("unpaired: {error}"));
        }
        let mut last = self.seen.last();
        let is_summary = request.messages.last().is_some_and(|message| message.text().contains("Sum up"));
        let begins = request.messages.len() >= last.len()
            && last.iter().zip(request.messages.iter()).all(|(before, now)| before == now);
        // A compaction changes the beginning. It is recorded before the request is sent.
        let compactions = self.seen.compactions.load(Ordering::Relaxed);
        let is_shorter = self.seen.at_last.load(Ordering::Relaxed) != compactions;
        if !begins && !is_shorter {
            self.seen.wrong("a request does not begin with the one before it".to_owned());
        }
        // The request for a summary is not part of the conversation, so the next one is compared with the one before it.
        if !is_summary {
            self.seen.at_last.store(compactions, Ordering::Relaxed);
            *last = request.messages.clone();
        }
    }

    fn answer(&self, request: &Request) -> Vec<Chunk> {
        self.seen.answers.fetch_add(1, Ordering::Relaxed);
        let finish = |reason| Chunk::Finish { reason, raw: "end".into() };
        if self.answers.fetch_add(1, Ordering::Relaxed) >= TURNS {
            return vec![Chunk::text("done"), finish(StopReason::End)];
        }
        if request
            .messages
            .last()
            .is_some_and(|message| message.role == Role::User && self.luck.is_bad(&self.seen))
        {
            return vec![Chunk::text(""), finish(StopReason::End)];
        }
        let mut chunks = vec![Chunk::text("on with it")];
        for _ in 0..self.luck.pick_between(1, 4) {
            let number = self.calls.fetch_add(1, Ordering::Relaxed);
            let name = if self.luck.pick_between(0, 2) == 0 { "change" } else { "look" };
            let (name, arguments) = if self.luck.is_bad(&self.seen) {
                let bad = [("fly", "{}"), (name, r#"{"n":"x"}"#), (name, r#"{"n":"#), ("", "[]")];
                let (name, arguments) = bad[self.luck.pick_between(0, 3)];
                (name, arguments.to_owned())
            } else {
                (name, format!(r#"{{"n":{number}}}"#))
            };
            chunks.push(Chunk::Call(CallChunk::Whole {
                // A repeated id must not cause a failure.
                id: Some(format!("c{}", if self.luck.is_bad(&self.seen) { 0 } else { number })),
                name: name.to_owned(),
                body: WholeCall::Arguments(arguments),
                opaque: None,
            }));
        }
        chunks.push(finish(StopReason::Calls));
        chunks
    }
}

/// A tool that works or fails at random.
struct Unlucky {
    spec: ToolSpec,
    hints: Hints,
    luck: Luck,
    seen: Arc<SoakCounts>,
}

impl Tool for Unlucky {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        if self.hints.read_only {
            vec![Effect::Internal]
        } else {
            vec![Effect::Write { path: "a.txt".into(), bytes: None }]
        }
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            if self.luck.is_bad(&self.seen) {
                match self.luck.pick_between(0, 2) {
                    0 => std::panic::resume_unwind(Box::new("a tool that breaks")),
                    1 => return Err(ToolError::model("it did not work; try another way")),
                    _ => tokio::task::yield_now().await,
                }
            }
            Ok(Output::text("x".repeat(self.luck.pick_between(1, 2_000))))
        })
    }
}

/// An approver that approves, denies or does not answer.
struct Moody {
    luck: Luck,
    seen: Arc<SoakCounts>,
}

impl Approver for Moody {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async move {
            let id = request.request_id.clone();
            if !self.luck.is_bad(&self.seen) {
                return Some(ApprovalDecision::approve(id));
            }
            (self.luck.pick_between(0, 1) == 0).then(|| ApprovalDecision::deny(id, Some("not now".into())))
        })
    }
}
