//! The process that is killed: a real agent with real tools, a journal in a file, and a scripted model.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use windlass_agent::{Agent, ApproveAll, Outcome, RunOptions};
use windlass_journal::Journal as _;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_sandbox::Workspace;
use windlass_stream::Model;
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_shell::Shell;

use super::points::{Deadly, Dying, Point};
use super::script::{DelayedJob, ScriptedJob};
use super::storage::{RunJournal, RunStore};

/// Starts the run of a folder, or resumes it.
#[derive(Debug, clap::Args)]
pub(crate) struct Victim {
    folder: PathBuf,
    /// The point at which the process kills itself.
    #[arg(long)]
    at: Option<Point>,
    /// The store of the run. Without one, the journal is a file in the folder.
    #[arg(long, requires = "run")]
    store: Option<String>,
    #[arg(long)]
    run: Option<String>,
    /// The time that the model takes to answer.
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
}

impl Victim {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let outcome = runtime.block_on(self.go_on())?;
        anyhow::ensure!(matches!(outcome, Outcome::Completed { .. }), "the run ended: {outcome:?}");
        Ok(ExitCode::SUCCESS)
    }

    async fn go_on(&self) -> anyhow::Result<Outcome> {
        let model = DelayedJob { latency: Duration::from_millis(self.latency_ms) };
        let agent = agent_with(&self.folder, self.at.as_ref(), model)?;
        let journal = match (&self.store, &self.run) {
            (Some(address), Some(run)) => {
                RunJournal::Stored { store: Arc::new(RunStore::open(address)?), run: run.clone() }
            }
            _ => RunJournal::File(self.folder.join("journal")),
        };
        let (journal, file) = journal.open()?;
        let is_begun = !journal.records()?.is_empty();
        let options = RunOptions::default()
            .with_journal(Dying::new(journal, file, self.at.clone()))
            .with_outputs(self.folder.join("outputs"));
        let stream =
            if is_begun { agent.resume(options)? } else { agent.stream_with("take the steps", options) };
        Ok(stream.report().await?.outcome)
    }
}

/// Builds the agent of a folder, which dies at `point` if one is given.
pub(super) fn agent(folder: &Path, point: Option<&Point>) -> anyhow::Result<Agent> {
    agent_with(folder, point, ScriptedJob)
}

/// Builds the agent of a folder with another model.
pub(super) fn agent_with(
    folder: &Path,
    point: Option<&Point>,
    model: impl Model + 'static,
) -> anyhow::Result<Agent> {
    let workspace = Arc::new(Workspace::open(folder.join("work"))?);
    let mut tools = windlass_tools_fs::tools(&workspace);
    tools.extend(windlass_tools_edit::tools(&workspace));
    tools.extend(windlass_tools_shell::tools_with(&workspace, &Shell::new_unconfined()));
    tools.push(Arc::new(Mark::new(folder.join("marks"))?));
    let deadly = tools.into_iter().map(|tool| Arc::new(Deadly::new(tool, point.cloned())) as Arc<dyn Tool>);
    let toolbox = Toolbox::builder().tools(deadly).config(ToolConfig::new(Preset::Full)).build()?;
    let agent = Agent::builder().model(model, "scripted").toolbox(toolbox).approver(ApproveAll);
    Ok(agent.root(workspace.root().display().to_string()).build()?)
}

/// A tool that writes a mark outside the workspace. Like a mail, a mark can be counted but not undone.
struct Mark {
    spec: ToolSpec,
    file: PathBuf,
}

#[derive(Deserialize)]
struct MarkArguments {
    what: String,
}

impl Mark {
    fn new(file: PathBuf) -> anyhow::Result<Self> {
        let schema = r#"{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}"#;
        Ok(Self { spec: ToolSpec::function(ToolName::new("mark")?, "Makes a mark.", schema.parse()?), file })
    }
}

impl Tool for Mark {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Connect { host: "marks.example".into(), port: 443 }]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let MarkArguments { what } = read_arguments(payload)?;
            let mark = || -> std::io::Result<()> {
                let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
                file.write_all(format!("{what}\n").as_bytes())
            };
            mark().map_err(ToolError::fatal)?;
            Ok(Output::text("marked"))
        })
    }
}
