//! The worker process: an agent with the model and the tools of the conformance kit's jobs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use windlass_agent::{Agent, Limits};
use windlass_protocol::{Effect, Hints, Payload, Request, ToolName, ToolSpec};
use windlass_stream::{ChunkStream, Model, ModelFuture};
use windlass_temporal::{Cipher, FolderContentStore, Worker};
use windlass_testkit::durable::{ASK, Job, KEEP, LOOK, MARK};
use windlass_tool::{CancellationToken, Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::check_pairing;

use crate::point::Fuse;

/// The key of encrypted runs.
pub(crate) const KEY: [u8; 32] = [7; 32];

/// Returns the name of a job on the command line.
pub(crate) fn name_of(job: &Job) -> &'static str {
    if *job == Job::with_questions() { "questions" } else { "classes" }
}

/// Runs a worker: `ADDRESS QUEUE FOLDER JOB POINT KEY`, where `-` means no point and no key.
pub(crate) fn work(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut next = |what: &str| arguments.next().ok_or_else(|| format!("{what} is missing"));
    let (address, queue, folder) = (next("address")?, next("queue")?, PathBuf::from(next("folder")?));
    let job = if next("job")? == "questions" { Job::with_questions() } else { Job::with_each_class() };
    let fuse = Fuse::new(Some(next("point")?.as_str()).filter(|point| *point != "-"));
    let is_encrypted = next("key")? == "key";
    let address = address.parse().map_err(|error| format!("{error}"))?;
    let content = Arc::new(FolderContentStore::new(folder.join("content")));
    let agent = agent(&folder, job, &fuse)?;
    let mut worker = Worker::new(address, queue, agent, content).with_takeover(Duration::from_millis(500));
    if is_encrypted {
        worker = worker.with_cipher(Cipher::new(&KEY).map_err(|error| error.to_string())?);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    fuse.start_timer();
    runtime.block_on(worker.run(CancellationToken::new())).map_err(|error| error.to_string())
}

fn agent(folder: &Path, job: Job, fuse: &Fuse) -> Result<Agent, String> {
    let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
    let tools = [(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
    let mut all: Vec<Arc<dyn Tool>> = Vec::new();
    for (name, hints) in tools {
        let name = ToolName::new(name).map_err(|error| error.to_string())?;
        let schema = r#"{"type":"object"}"#.parse().map_err(|error| format!("{error}"))?;
        let spec = ToolSpec::function(name, "A tool.", schema);
        all.push(Arc::new(Piece { spec, hints, marks: folder.join("marks"), fuse: fuse.clone() }));
    }
    let toolbox = Toolbox::builder().tools(all).config(ToolConfig::new(Preset::Full)).build();
    let toolbox = toolbox.map_err(|error| error.to_string())?;
    let model = JobModel { job, unpaired: folder.join("unpaired"), fuse: fuse.clone() };
    let limits = Limits { approval_timeout_ms: 0, ..Limits::default() };
    let agent = Agent::builder().model(model, "the job").toolbox(toolbox).limits(limits);
    agent.build().map_err(|error| error.to_string())
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(text.as_bytes())
}

/// The model of the job.
struct JobModel {
    job: Job,
    unpaired: PathBuf,
    fuse: Fuse,
}

impl Model for JobModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            self.fuse.burn("before:send");
            if let Err(error) = check_pairing(&request.messages) {
                drop(append(&self.unpaired, &format!("{error}\n")));
            }
            let chunks: Vec<_> = self.job.answer(request).into_iter().map(Ok).collect();
            self.fuse.burn("after:send");
            Ok(Box::pin(stream::iter(chunks)) as ChunkStream)
        })
    }
}

/// One of the job's tools.
struct Piece {
    spec: ToolSpec,
    hints: Hints,
    marks: PathBuf,
    fuse: Fuse,
}

impl Piece {
    fn leave(&self, call: &str) -> std::io::Result<()> {
        let is_kept = |text: &str| text.lines().any(|line| line == call);
        match self.spec.name().as_str() {
            LOOK => Ok(()),
            // `KEEP` is idempotent: it stores each id only once.
            KEEP if is_kept(&fs::read_to_string(&self.marks).unwrap_or_default()) => Ok(()),
            _ => append(&self.marks, &format!("{call}\n")),
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
        self.fuse.burn(&format!("decides:{}", self.spec.name()));
        match self.spec.name().as_str() {
            ASK => vec![Effect::Write { path: "a.txt".into(), bytes: None }],
            _ => vec![Effect::Internal],
        }
    }

    fn call<'a>(&'a self, ctx: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            self.fuse.burn(&format!("begins:{}", self.spec.name()));
            self.leave(ctx.call().as_str()).map_err(|error| ToolError::model(error.to_string()))?;
            self.fuse.burn(&format!("ends:{}", self.spec.name()));
            Ok(Output::text("fine"))
        })
    }
}
