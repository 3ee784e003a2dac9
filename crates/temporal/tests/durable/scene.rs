//! The scene of a test: a server, a folder, a client, and worker processes.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use windlass_temporal::{
    Cipher, Engine, FolderContentStore, OpenRequests, RunHandle, RunReport, RunSettings, StepTimeouts,
};
use windlass_testkit::durable::Job;

use crate::parts::{self, KEY};
use windlass_testkit::temporal::TemporalServer;

/// Longest duration of a part of a run.
const LONGEST: Duration = Duration::from_secs(90);

pub(crate) struct Scene {
    pub(crate) server: RefCell<TemporalServer>,
    pub(crate) runtime: Runtime,
    folder: TempDir,
}

/// A worker process. Dropping it kills it.
pub(crate) struct WorkerProcess {
    child: Child,
}

/// The reason why a part of a run ended.
pub(crate) enum PartEnd {
    Done(RunReport),
    Waits(OpenRequests),
    Died,
}

impl Scene {
    pub(crate) fn new(program: &Path) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let server = TemporalServer::start(program, folder.path())?;
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        Ok(Self { server: RefCell::new(server), runtime, folder })
    }

    pub(crate) fn folder(&self, run: &str) -> Result<PathBuf, String> {
        let folder = self.folder.path().join(run);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(folder)
    }

    /// Connects a client to the run of a folder.
    pub(crate) fn engine(&self, run: &str, is_encrypted: bool) -> Result<Engine, String> {
        let content = Arc::new(FolderContentStore::new(self.folder(run)?.join("content")));
        let cipher =
            is_encrypted.then(|| Cipher::new(&KEY)).transpose().map_err(|error| error.to_string())?;
        let address = self.server.borrow().address().parse().map_err(|error| format!("{error}"))?;
        let connecting = Engine::connect(&address, content, cipher);
        self.runtime.block_on(connecting).map_err(|error| error.to_string())
    }

    /// Starts a run whose queue has the same name.
    pub(crate) fn start(&self, engine: &Engine, run: &str, turns: u32) -> Result<RunHandle, String> {
        let settings = run_settings(run, turns);
        self.runtime.block_on(engine.start(run, "the job", settings)).map_err(|error| error.to_string())
    }

    pub(crate) fn worker(
        &self,
        run: &str,
        job: &Job,
        point: Option<&str>,
        is_encrypted: bool,
    ) -> Result<WorkerProcess, String> {
        self.spawn(run, job, [point.unwrap_or("-"), if is_encrypted { "key" } else { "-" }, "-", "-"])
    }

    /// Starts a worker of a queue with many runs.
    pub(crate) fn fleet_worker(
        &self,
        queue: &str,
        job: &Job,
        kind: WorkerKind,
    ) -> Result<WorkerProcess, String> {
        self.spawn(queue, job, ["-", "-", kind.label, if kind.has_another_tool { "another" } else { "-" }])
    }

    /// Returns the lines of a file that the workers of a queue write.
    pub(crate) fn read_lines(&self, queue: &str, file: &str) -> Result<Vec<String>, String> {
        let text = std::fs::read_to_string(self.folder(queue)?.join(file)).unwrap_or_default();
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn spawn(&self, queue: &str, job: &Job, options: [&str; 4]) -> Result<WorkerProcess, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let errors =
            std::fs::File::create(self.folder(queue)?.join("errors")).map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .args(["worker", &self.server.borrow().address(), queue])
            .arg(self.folder(queue)?)
            .arg(parts::name_of(job))
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn();
        Ok(WorkerProcess { child: child.map_err(|error| error.to_string())? })
    }

    /// Waits until the run ends or waits for an answer, or the worker dies.
    pub(crate) fn wait(&self, run: &RunHandle, worker: &mut WorkerProcess) -> Result<PartEnd, String> {
        let until = Instant::now() + LONGEST;
        self.runtime.block_on(async {
            let mut report = std::pin::pin!(run.report());
            loop {
                tokio::select! {
                    biased;
                    report = &mut report => {
                        return report.map(PartEnd::Done).map_err(|error| error.to_string());
                    }
                    () = tokio::time::sleep(Duration::from_millis(50)) => {}
                }
                if worker.has_ended()? {
                    return Ok(PartEnd::Died);
                }
                let asked = tokio::time::timeout(Duration::from_secs(2), run.waits()).await;
                if let Ok(Ok(waits)) = asked
                    && waits.is_idle
                    && !waits.approvals.is_empty()
                {
                    return Ok(PartEnd::Waits(waits));
                }
                if Instant::now() > until {
                    let waits = run.waits().await;
                    return Err(format!("the run neither ends nor waits: {waits:?}"));
                }
            }
        })
    }

    /// Waits until the run has emitted this number of events.
    pub(crate) fn wait_for_events(&self, run: &RunHandle, count: usize) -> Result<(), String> {
        let until = Instant::now() + LONGEST;
        self.runtime.block_on(async {
            while Instant::now() < until {
                let asked = tokio::time::timeout(Duration::from_secs(2), run.events(0)).await;
                if let Ok(Ok(page)) = asked
                    && page.events.len() >= count
                {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(format!("the run does not emit {count} events"))
        })
    }

    /// Runs a job without disturbance and returns the serialised conversation.
    pub(crate) fn undisturbed_transcript(&self, job: &Job) -> Result<String, String> {
        let engine = self.engine("undisturbed", false)?;
        let run = self.start(&engine, "undisturbed", 0)?;
        let mut worker = self.worker("undisturbed", job, None, false)?;
        match self.wait(&run, &mut worker)? {
            PartEnd::Done(_) => self.transcript(&run),
            _ => Err("the undisturbed run does not end".to_owned()),
        }
    }

    pub(crate) fn transcript(&self, run: &RunHandle) -> Result<String, String> {
        let messages =
            self.runtime.block_on(run.transcript_tail(1_000)).map_err(|error| error.to_string())?;
        serde_json::to_string_pretty(&messages).map_err(|error| error.to_string())
    }
}

/// A kind of worker that a queue with many runs has.
#[derive(Clone, Copy)]
pub(crate) struct WorkerKind {
    label: &'static str,
    has_another_tool: bool,
}

impl WorkerKind {
    /// Creates a kind with a label, which the worker writes beside its effects.
    pub(crate) fn new(label: &'static str) -> Self {
        Self { label, has_another_tool: false }
    }

    /// Adds a tool to those of the job.
    pub(crate) fn with_another_tool(self) -> Self {
        Self { has_another_tool: true, ..self }
    }
}

impl WorkerProcess {
    /// Kills the worker, and returns a new one.
    pub(crate) fn replace(
        worker: &mut Self,
        start: impl FnOnce() -> Result<Self, String>,
    ) -> Result<Self, String> {
        worker.kill();
        start()
    }

    /// Returns the resident memory in KiB.
    pub(crate) fn memory_kib(&self) -> Result<u64, String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.map_err(|error| error.to_string())?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let figure = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        figure.ok_or_else(|| "the memory of a worker is not reported".to_owned())
    }

    fn has_ended(&mut self) -> Result<bool, String> {
        Ok(self.child.try_wait().map_err(|error| error.to_string())?.is_some())
    }

    pub(crate) fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the settings of a run, with the short timeouts of a test.
pub(crate) fn run_settings(queue: &str, turns: u32) -> RunSettings {
    let mut timeouts = StepTimeouts::default();
    timeouts.heartbeat = Duration::from_millis(1_500);
    timeouts.first_retry = Duration::from_millis(100);
    timeouts.workflow_task = Duration::from_secs(1);
    RunSettings::new(queue).with_timeouts(timeouts).with_turns_per_history(turns)
}
