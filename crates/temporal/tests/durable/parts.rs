//! The worker process: an agent with the model and the tools of the conformance kit's jobs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use windlass_agent::{Agent, RunLimits};
use windlass_protocol::{Effect, Hints, Payload, Request, ToolName, ToolSpec};
use windlass_stream::{ChunkStream, Model, ModelFuture};
use windlass_temporal::{Cipher, FolderContentStore, Worker};
use windlass_testkit::durable::{ASK, Job, KEEP, LOOK, MARK};
use windlass_tool::{CancellationToken, Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_wire::check_pairing;

use crate::point::Fuse;

/// A tool that a later version of a worker has.
const ANOTHER: &str = "another";

/// The key of encrypted runs.
pub(crate) const KEY: [u8; 32] = [7; 32];
/// The file with the kind and the outcome of each step that a worker executed.
pub(crate) const STEPS: &str = "steps";

/// Returns the name of a job on the command line.
pub(crate) fn name_of(job: &Job) -> &'static str {
    if *job == Job::with_questions() { "questions" } else { "classes" }
}

/// The time that the model of a worker with many runs takes to answer.
const LATENCY: Duration = Duration::from_millis(100);

/// Runs a worker: `ADDRESS QUEUE FOLDER JOB POINT KEY LABEL TOOL`, where `-` means no point, no key, no label, and no
/// further tool. A worker with a label serves many runs: it writes the keys of calls instead of their ids.
pub(crate) fn work(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut next = |what: &str| arguments.next().ok_or_else(|| format!("{what} is missing"));
    let (address, queue, folder) = (next("address")?, next("queue")?, PathBuf::from(next("folder")?));
    let job = if next("job")? == "questions" { Job::with_questions() } else { Job::with_each_class() };
    let fuse = Fuse::new(Some(next("point")?.as_str()).filter(|point| *point != "-"));
    let is_encrypted = next("key")? == "key";
    let label = Some(next("label")?).filter(|label| label != "-");
    let has_another_tool = next("tool")? == "another";
    let address = address.parse().map_err(|error| format!("{error}"))?;
    let content = Arc::new(FolderContentStore::new(folder.join("content")));
    let agent = agent(&folder, job, &fuse, label.as_deref(), has_another_tool)?;
    let steps = folder.join(STEPS);
    let mut worker =
        Worker::new(address, queue, agent, content).with_takeover(Duration::from_millis(500)).with_observer(
            move |step| drop(append(&steps, &format!("{} {}\n", step.kind.as_str(), step.outcome))),
        );
    if is_encrypted {
        worker = worker.with_cipher(Cipher::new(&KEY).map_err(|error| error.to_string())?);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    fuse.start_timer();
    runtime.block_on(worker.run(CancellationToken::new())).map_err(|error| error.to_string())
}

fn agent(
    folder: &Path,
    job: Job,
    fuse: &Fuse,
    label: Option<&str>,
    has_another_tool: bool,
) -> Result<Agent, String> {
    let keep = Hints { resumable: true, idempotent: true, ..Hints::default() };
    let mut tools =
        vec![(LOOK, Hints::read_only()), (KEEP, keep), (MARK, Hints::default()), (ASK, Hints::default())];
    if has_another_tool {
        tools.push((ANOTHER, Hints::read_only()));
    }
    let label = label.map(str::to_owned);
    let mut all: Vec<Arc<dyn Tool>> = Vec::new();
    for (name, hints) in tools {
        let name = ToolName::new(name).map_err(|error| error.to_string())?;
        let schema = r#"{"type":"object"}"#.parse().map_err(|error| format!("{error}"))?;
        let spec = ToolSpec::function(name, "A tool.", schema);
        all.push(Arc::new(Piece {
            spec,
            hints,
            marks: folder.join("marks"),
            label: label.clone(),
            fuse: fuse.clone(),
        }));
    }
    let toolbox = Toolbox::builder().tools(all).config(ToolConfig::new(Preset::Full)).build();
    let toolbox = toolbox.map_err(|error| error.to_string())?;
    let (unpaired, offers) = (folder.join("unpaired"), folder.join("offers"));
    let model = JobModel { job, unpaired, offers, label, fuse: fuse.clone() };
    let limits = RunLimits { approval_timeout_ms: 0, ..RunLimits::default() };
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
    /// The file of the offered tools, a line for each request of a worker with a label.
    offers: PathBuf,
    label: Option<String>,
    fuse: Fuse,
}

impl JobModel {
    /// Writes the label of the worker and the offered tools.
    fn note_offer(&self, label: &str, request: &Request) {
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name().as_str()).collect();
        drop(append(&self.offers, &format!("{label} {}\n", names.join(" "))));
    }
}

impl Model for JobModel {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        Box::pin(async move {
            self.fuse.burn("before:send");
            if let Some(label) = &self.label {
                self.note_offer(label, request);
                tokio::time::sleep(LATENCY).await;
            }
            if let Err(error) = check_pairing(&request.messages) {
                drop(append(&self.unpaired, &format!("{error}\n")));
            }
            let chunks: Vec<_> = self.job.answer(request).into_iter().map(Ok).collect();
            self.fuse.burn("after:send");
            Ok(Box::pin(stream::iter(chunks)) as ChunkStream)
        })
    }
}

/// A tool of the job.
struct Piece {
    spec: ToolSpec,
    hints: Hints,
    marks: PathBuf,
    label: Option<String>,
    fuse: Fuse,
}

impl Piece {
    fn leave(&self, ctx: &Context) -> std::io::Result<()> {
        let call = match &self.label {
            Some(label) => format!("{} {label}", ctx.idempotency_key()),
            None => ctx.call().to_string(),
        };
        let key = call.split(' ').next().unwrap_or_default();
        let is_kept = |text: &str| text.lines().any(|line| line.split(' ').next() == Some(key));
        match self.spec.name().as_str() {
            LOOK | ANOTHER => Ok(()),
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
            self.leave(ctx).map_err(|error| ToolError::model(error.to_string()))?;
            self.fuse.burn(&format!("ends:{}", self.spec.name()));
            Ok(Output::text("fine"))
        })
    }
}
