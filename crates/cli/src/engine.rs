//! `windlass worker`, and the commands with `--engine`: runs of a durable engine.

mod questions;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use futures_util::stream;
use tokio::sync::mpsc;
use windlass_agent::{AgentError, Approver, Event, Outcome};
use windlass_app::App;
use windlass_app::runs::build_worker_agent;
use windlass_temporal::{
    Cipher, Engine, EngineAddress, EngineError, FolderContentStore, RunHandle, RunReport, RunSettings,
    Worker as EngineWorker, WorkerRole,
};
use windlass_tool::CancellationToken;

use crate::arguments::{EngineOptions, EngineValues, Run, Worker};
use crate::drive::{Telling, drive, interrupts};
use crate::output;
use crate::people::choose_people;
use crate::run::{exit_code, session_options, settings_of};
use crate::script::print_answer;
use crate::show::Show;
use crate::telemetry::Telemetry;
use crate::usage;

pub(crate) use self::questions::{answer, say, stop};

/// The name under which the state folder keeps large values.
const CONTENT: &str = "content";

/// The parts of an engine's options.
struct Connection {
    address: EngineAddress,
    content: Arc<FolderContentStore>,
    cipher: Option<Cipher>,
}

impl Connection {
    fn new(engine: Option<&str>, values: &EngineValues, app: &App) -> anyhow::Result<Self> {
        let address = engine.context("give the engine with --engine")?.parse()?;
        let folder = match &values.content_folder {
            Some(folder) => folder.clone(),
            None => app.state_folder()?.join(CONTENT),
        };
        let cipher = values.key_file.as_deref().map(read_key).transpose()?;
        Ok(Self { address, content: Arc::new(FolderContentStore::new(folder)), cipher })
    }

    fn from_options(options: &EngineOptions, app: &App) -> anyhow::Result<Self> {
        Self::new(options.engine.as_deref(), &options.values, app)
    }

    /// Connects to the engine.
    async fn open(self) -> anyhow::Result<Engine> {
        Ok(Engine::connect(&self.address, self.content, self.cipher).await?)
    }
}

fn read_key(file: &Path) -> anyhow::Result<Cipher> {
    let key = std::fs::read(file).with_context(|| format!("the key {} cannot be read", file.display()))?;
    Ok(Cipher::new(&key)?)
}

/// Executes the runs of a queue until Ctrl-C.
pub(crate) async fn work(arguments: Worker, app: &App) -> anyhow::Result<ExitCode> {
    let Worker { models_only, run } = arguments;
    let connection = Connection::from_options(&run.engine, app)?;
    // The tools of its runs must reach neither the conversations of all runs nor the key to them.
    let private = [Some(connection.content.folder()), run.engine.values.key_file.as_deref()];
    let app = &private.into_iter().flatten().fold(app.clone(), App::with_private_path);
    let stop = CancellationToken::new();
    let settings = settings_of(&run, app, "work for an engine".to_owned())?;
    let agent = build_worker_agent(app, &settings, &session_options(&run, app, &settings, &stop)?).await?;
    let (queue, role) = match (models_only, &run.engine.model_queue) {
        (true, Some(queue)) => (queue, WorkerRole::ModelCalls),
        (true, None) => anyhow::bail!("--models-only needs the queue: --model-queue NAME"),
        (false, _) => (&run.engine.queue, WorkerRole::All),
    };
    let outputs = app.state_folder()?.join("engine-outputs");
    output::note(&format!("working for {} on the queue {queue}; Ctrl-C stops", connection.address));
    let mut worker = EngineWorker::new(connection.address, queue, agent, connection.content)
        .with_role(role)
        .with_outputs(outputs);
    if let Some(cipher) = connection.cipher {
        worker = worker.with_cipher(cipher);
    }
    let telemetry = Telemetry::begin(&run.otlp, &run.reach, app)?;
    #[cfg(feature = "otlp")]
    if let Some(metrics) = telemetry.metrics(&settings.provider, settings.budget.prices) {
        worker = worker.with_observer(move |step| {
            metrics.record_step(step.kind, step.outcome, step.duration);
            metrics.record_usage(&step.usage);
        });
    }
    let mut interrupts = interrupts()?;
    let stopping = async {
        interrupts.recv().await;
        output::note("stopping; steps that run get 30 seconds");
        stop.cancel();
        std::future::pending::<()>().await;
    };
    let end = tokio::select! {
        end = worker.run(stop.clone()) => end,
        () = stopping => Ok(()),
    };
    telemetry.end().await;
    end?;
    Ok(ExitCode::SUCCESS)
}

/// Starts a run on an engine, or finds the run of `--resume`, and shows it to its end. The approver of the
/// command line answers its requests.
pub(crate) async fn run(arguments: &Run, app: &App, task: String) -> anyhow::Result<ExitCode> {
    let connection = Connection::from_options(&arguments.engine, app)?;
    let approver = choose_people(app, &arguments.approval, &arguments.root)?.approver();
    let address = connection.address.clone();
    let engine = connection.open().await?;
    let handle = if let Some(id) = &arguments.resume {
        engine.run(id)
    } else {
        let mut settings = RunSettings::new(&arguments.engine.queue);
        if let Some(queue) = &arguments.engine.model_queue {
            settings = settings.with_model_queue(queue);
        }
        engine.start(&new_id("run")?, task, settings).await?
    };
    output::note(&format!("run {} on {address}", handle.id()));
    let stop = CancellationToken::new();
    let mut show = Show::new();
    let (events, watching) = watch(&handle, &*approver, &stop);
    let events = Box::pin(stream::unfold(events, |mut events| async {
        events.recv().await.map(|event| (Ok::<Event, AgentError>(event), events))
    }));
    let telling = Telling::from_flags(arguments.json, arguments.script.print);
    let outcome = {
        let mut driving = std::pin::pin!(drive(events, &mut show, telling, &stop, None));
        tokio::select! {
            outcome = &mut driving => outcome?,
            report = watching => {
                report?;
                driving.await?
            }
        }
    };
    output::note(&usage::words(show.usage));
    if telling == Telling::Answer {
        print_answer(&outcome, None)?;
    }
    Ok(if matches!(outcome, Outcome::Completed { .. }) { ExitCode::SUCCESS } else { exit_code(&show) })
}

/// Returns the events of a run, and the work that reads them, passes approval requests to the approver, and
/// stops the run when the token is cancelled.
fn watch<'a>(
    handle: &'a RunHandle,
    approver: &'a dyn Approver,
    stop: &'a CancellationToken,
) -> (mpsc::UnboundedReceiver<Event>, impl Future<Output = Result<RunReport, EngineError>> + 'a) {
    let (sender, events) = mpsc::unbounded_channel();
    let (requests, mut asked) = mpsc::unbounded_channel();
    let work = async move {
        let watching = handle.watch(0, |event| {
            if let Event::ToolApprovalRequest { request, .. } = &event {
                drop(requests.send(request.clone()));
            }
            drop(sender.send(event));
        });
        let answering = async {
            while let Some(request) = asked.recv().await {
                if let Some(decision) = approver.decide(&request).await {
                    handle.answer(decision).await?;
                }
            }
            Ok(std::future::pending::<RunReport>().await)
        };
        let stopping = async {
            stop.cancelled().await;
            handle.stop().await?;
            Ok(std::future::pending::<RunReport>().await)
        };
        tokio::select! {
            report = watching => report,
            failed = answering => failed,
            failed = stopping => failed,
        }
    };
    (events, work)
}

/// Returns a new id of a run or a message.
fn new_id(kind: &str) -> anyhow::Result<String> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).context("the operating system does not provide random bytes")?;
    Ok(format!("{kind}-{:016x}", u64::from_be_bytes(bytes)))
}
