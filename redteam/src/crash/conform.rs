//! Runs the conformance kit against real processes: an agent whose run is in a store, and that kills itself at
//! a given point.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use anyhow::Context as _;
use futures_util::stream;
use windlass_agent::{Agent, Approver, ApproverFuture, Entry, Outcome, RunOptions, UnansweredPolicy, Wait};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Journal as _, Record};
use windlass_protocol::{Effect, Hints, Payload, Request, ToolName, ToolSpec};
use windlass_stream::{ChunkStream, Model, ModelFuture};
use windlass_testkit::durable::{ASK, Checked, EndOfPart, Harness, Job, KEEP, LOOK, LeftState, MARK, check};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::check_pairing;

use super::points::{Deadly, Dying, Point};
use super::storage::RunStore;

/// The records before, in and after which the process dies. `TOOLS` are the tools during whose calls it dies.
const RECORDS: [&str; 9] =
    ["started", "resumed", "answered", "judged", "asked", "approval", "intent", "result", "finished"];
const TOOLS: [&str; 4] = [LOOK, KEEP, MARK, ASK];

/// Runs the kit.
#[derive(Debug, clap::Args)]
pub(crate) struct Conform {
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// Arguments of the process that starts the job of a folder, or resumes it.
#[derive(Debug, clap::Args)]
pub(crate) struct Worker {
    folder: PathBuf,
    #[arg(long)]
    job: String,
    /// The address of the store that contains the run.
    #[arg(long)]
    store: String,
    #[arg(long)]
    run: String,
    #[arg(long)]
    at: Option<Point>,
}

impl Conform {
    #[expect(clippy::unnecessary_wraps, reason = "as all commands are")]
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let (observed, problems) = self.count();
        for problem in &problems {
            println!("FAILED {problem}");
        }
        println!("{observed}");
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Runs the kit over a folder. Returns the counts as text, and the problems found.
    pub(crate) fn count(&self) -> (String, Vec<String>) {
        let scratch = self.scratch.join("conform");
        let store = scratch.join("store").display().to_string();
        match check_processes(&scratch, &store) {
            Ok((checked, points)) => {
                let observed = format!(
                    "conformance: {} runs, {} kills at {points} points, {} problems",
                    checked.runs,
                    checked.kills,
                    checked.problems.len()
                );
                (observed, checked.problems)
            }
            Err(error) => ("conformance: the store cannot be opened".to_owned(), vec![format!("{error:#}")]),
        }
    }
}

/// Runs the kit against processes over a store. Returns its result, and the number of points.
pub(super) fn check_processes(scratch: &Path, store: &str) -> anyhow::Result<(Checked, usize)> {
    let mut harness = Processes {
        scratch: scratch.to_owned(),
        store: RunStore::open(store)?,
        runs: 0,
        job: "",
        acknowledged: 0,
        point: None,
    };
    let points = harness.points().len();
    Ok((check(&mut harness), points))
}

/// A harness of processes that share a store, and a folder for the effects of their calls.
struct Processes {
    scratch: PathBuf,
    store: RunStore,
    runs: u32,
    job: &'static str,
    acknowledged: u64,
    point: Option<String>,
}

fn name_of(job: &Job) -> &'static str {
    if *job == Job::with_questions() { "questions" } else { "classes" }
}

fn job_of(name: &str) -> Job {
    if name == "questions" { Job::with_questions() } else { Job::with_each_class() }
}

impl Harness for Processes {
    fn points(&self) -> Vec<String> {
        let of_records =
            RECORDS.iter().flat_map(|of| ["before", "torn", "after"].map(|what| format!("{what}:{of}:1")));
        let later = ["answered", "intent", "result"]
            .iter()
            .flat_map(|of| ["torn", "after"].map(|what| format!("{what}:{of}:2")));
        let of_tools = TOOLS.iter().flat_map(|of| ["begins", "ends"].map(|what| format!("{what}:{of}:1")));
        of_records.chain(later).chain(of_tools).collect()
    }

    fn kill(&mut self, at: Option<&str>) {
        self.point = at.map(str::to_owned);
    }

    fn start(&mut self, job: &Job) -> Result<EndOfPart, String> {
        drop(fs::remove_dir_all(self.folder()));
        self.runs = self.runs.saturating_add(1);
        (self.job, self.acknowledged) = (name_of(job), 0);
        fs::create_dir_all(self.folder()).map_err(|error| error.to_string())?;
        self.restart()
    }

    fn restart(&mut self) -> Result<EndOfPart, String> {
        self.process().map_err(|error| format!("{error:#}"))
    }

    fn approve(&mut self, call: &str, yes: bool) -> Result<(), String> {
        let asks =
            |entry: &Entry| matches!(entry, Entry::Asked { request } if request.call.id.as_str() == call);
        if !self.entries().iter().any(asks) {
            return Err(format!("nobody asks about {call}"));
        }
        let line = format!("{call} {yes}\n");
        append(&self.folder().join("answers"), &line).map_err(|error| error.to_string())
    }

    fn result(&self) -> Result<LeftState, String> {
        let entries = self.entries();
        let statuses = entries.iter().filter_map(|entry| match entry {
            Entry::Result { result } => Some((result.call.to_string(), result.status)),
            _ => None,
        });
        let text = entries.iter().rev().find_map(|entry| match entry {
            Entry::Finished { outcome: Outcome::Completed { text } } => Some(text.clone()),
            _ => None,
        });
        let lines = |name: &str| fs::read_to_string(self.folder().join(name)).unwrap_or_default();
        let mut seen = BTreeMap::new();
        for mark in lines("marks").lines() {
            let count: &mut u32 = seen.entry(mark.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
        Ok(LeftState {
            acknowledged: self.acknowledged,
            records: entries.len() as u64,
            statuses: statuses.collect(),
            seen,
            unpaired: lines("unpaired").lines().map(str::to_owned).collect(),
            text,
        })
    }
}

impl Processes {
    fn folder(&self) -> PathBuf {
        self.scratch.join(self.runs.to_string())
    }

    fn run(&self) -> String {
        format!("run-{}", self.runs)
    }

    fn entries(&self) -> Vec<Entry> {
        let records = self.store.records(&self.run()).unwrap_or_default();
        records.iter().filter_map(|record: &Record| record.read().ok()).collect()
    }

    fn process(&mut self) -> anyhow::Result<EndOfPart> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("worker").arg(self.folder()).args(["--job", self.job]);
        command.args(["--store", self.store.address(), "--run", &self.run()]);
        if let Some(point) = self.point.take() {
            command.args(["--at", &point]);
        }
        let output = command.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let kept = said.lines().filter_map(|line| line.strip_prefix("kept ")?.parse::<u64>().ok()).max();
        self.acknowledged = self.acknowledged.max(kept.map_or(0, |last| last.saturating_add(1)));
        if std::os::unix::process::ExitStatusExt::signal(&output.status).is_some() {
            return Ok(EndOfPart::Died);
        }
        anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
        match self.entries().pop() {
            Some(Entry::Finished { outcome: Outcome::Completed { .. } }) => Ok(EndOfPart::Done),
            Some(Entry::Finished { outcome: Outcome::Suspended { waits } }) => {
                let calls = waits.into_iter().filter_map(|wait| match wait {
                    Wait::Approval { call, .. } => Some(call.to_string()),
                    _ => None,
                });
                Ok(EndOfPart::Waits(calls.collect()))
            }
            other => anyhow::bail!("it ended with {other:?} on record"),
        }
    }
}

impl Worker {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.go_on())?;
        Ok(ExitCode::SUCCESS)
    }

    async fn go_on(&self) -> anyhow::Result<()> {
        let store = RunStore::open(&self.store)?;
        let lease = store.claim(&self.run)?;
        let journal = lease.open_run_journal()?;
        let records = journal.records()?;
        let is_done = |record: &Record| {
            matches!(record.read(), Ok(Entry::Finished { outcome: Outcome::Completed { .. } }))
        };
        if records.last().is_some_and(is_done) {
            return Ok(());
        }
        let agent = self.agent()?;
        let options =
            RunOptions::default().with_journal(Dying::new(journal, store.file(&self.run), self.at.clone()));
        let stream =
            if records.is_empty() { agent.stream_with("the job", options) } else { agent.resume(options)? };
        stream.report().await?;
        Ok(())
    }

    fn agent(&self) -> anyhow::Result<Agent> {
        let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
        let tools =
            [(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
        let mut all: Vec<Arc<dyn Tool>> = Vec::new();
        for (name, hints) in tools {
            let spec = ToolSpec::function(ToolName::new(name)?, "A tool.", r#"{"type":"object"}"#.parse()?);
            let inner = Arc::new(Piece { spec, hints, marks: self.folder.join("marks") });
            all.push(Arc::new(Deadly::new(inner, self.at.clone())));
        }
        let toolbox = Toolbox::builder().tools(all).config(ToolConfig::new(Preset::Full)).build()?;
        let model = JobModel { job: job_of(&self.job), unpaired: self.folder.join("unpaired") };
        let agent = Agent::builder()
            .model(model, "the job")
            .toolbox(toolbox)
            .on_unanswered(UnansweredPolicy::Suspend)
            .approver(StoredAnswers::read(&self.folder.join("answers")));
        Ok(agent.build()?)
    }
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(text.as_bytes())
}

/// The model of the job.
struct JobModel {
    job: Job,
    unpaired: PathBuf,
}

impl Model for JobModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            if let Err(error) = check_pairing(&request.messages) {
                drop(append(&self.unpaired, &format!("{error}\n")));
            }
            let chunks: Vec<_> = self.job.answer(request).into_iter().map(Ok).collect();
            Ok(Box::pin(stream::iter(chunks)) as ChunkStream)
        })
    }
}

/// The stored answers to approval requests.
struct StoredAnswers(BTreeMap<String, bool>);

impl StoredAnswers {
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        let answer = |line: &str| line.split_once(' ').map(|(call, yes)| (call.to_owned(), yes == "true"));
        Self(text.lines().filter_map(answer).collect())
    }
}

impl Approver for StoredAnswers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let id = request.request_id.clone();
        let answer = self.0.get(request.call.id.as_str()).map(|yes| match yes {
            true => ApprovalDecision::approve(id),
            false => ApprovalDecision::deny(id, None),
        });
        Box::pin(async move { answer })
    }
}

/// One of the job's tools.
struct Piece {
    spec: ToolSpec,
    hints: Hints,
    marks: PathBuf,
}

impl Piece {
    fn leave(&self, call: &str) -> anyhow::Result<()> {
        let is_kept = |text: &str| text.lines().any(|line| line == call);
        match self.spec.name().as_str() {
            LOOK => Ok(()),
            // `KEEP` is idempotent: it stores each id only once.
            KEEP if is_kept(&fs::read_to_string(&self.marks).unwrap_or_default()) => Ok(()),
            _ => append(&self.marks, &format!("{call}\n")).context("the mark"),
        }
    }
}

impl Tool for Piece {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        match self.spec.name().as_str() {
            ASK => vec![Effect::Write { path: "a.txt".into(), bytes: None }],
            _ => vec![Effect::Internal],
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.leave(ctx.call().as_str()).map_err(|error| ToolError::model(error.to_string()))?;
            Ok(Output::text("fine"))
        })
    }
}
