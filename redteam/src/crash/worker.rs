//! The process of the conformance kit: an agent whose run is in a store, and that kills itself at a given point.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use futures_util::stream;
use windlass_agent::{
    Agent, AgentBuilder, Approver, ApproverFuture, Entry, Outcome, RunOptions, UnansweredPolicy,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Journal as _, Record};
use windlass_protocol::{Effect, Hints, Payload, Request, ToolName, ToolSpec};
use windlass_stream::{ChunkStream, Model, ModelFuture};
use windlass_testkit::durable::{ASK, Job, KEEP, LOOK, MARK};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::check_pairing;

use super::points::{Deadly, Dying, Point};
use super::storage::RunStore;

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

fn job_of(name: &str) -> Job {
    if name == "questions" { Job::with_questions() } else { Job::with_each_class() }
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
        let agent = build_job_agent(&self.folder, job_of(&self.job), self.at.as_ref(), |agent| {
            agent
                .on_unanswered(UnansweredPolicy::Suspend)
                .approver(StoredAnswers::read(&self.folder.join("answers")))
        })?;
        let options =
            RunOptions::default().with_journal(Dying::new(journal, store.file(&self.run), self.at.clone()));
        let stream =
            if records.is_empty() { agent.stream_with("the job", options) } else { agent.resume(options)? };
        stream.report().await?;
        Ok(())
    }
}

/// Builds an agent with the model and the tools of a job, whose calls leave marks in a folder. `finish` adds the
/// approver.
pub(super) fn build_job_agent(
    folder: &Path,
    job: Job,
    point: Option<&Point>,
    finish: impl FnOnce(AgentBuilder) -> AgentBuilder,
) -> anyhow::Result<Agent> {
    let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
    let tools = [(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
    let mut all: Vec<Arc<dyn Tool>> = Vec::new();
    for (name, hints) in tools {
        let spec = ToolSpec::function(ToolName::new(name)?, "A tool.", r#"{"type":"object"}"#.parse()?);
        let inner = Arc::new(Piece { spec, hints, marks: folder.join("marks") });
        all.push(Arc::new(Deadly::new(inner, point.cloned())));
    }
    let toolbox = Toolbox::builder().tools(all).config(ToolConfig::new(Preset::Full)).build()?;
    let model = JobModel { job, unpaired: folder.join("unpaired") };
    Ok(finish(Agent::builder().model(model, "the job").toolbox(toolbox)).build()?)
}

pub(super) fn append(file: &Path, text: &str) -> std::io::Result<()> {
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
