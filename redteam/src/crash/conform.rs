//! Runs the conformance kit against real processes that share a store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use windlass_agent::{Entry, Outcome, Wait};
use windlass_journal::Record;
use windlass_testkit::durable::{
    ASK, ConformanceReport, EndOfPart, Harness, Job, KEEP, LOOK, LeftState, MARK, check,
};

use super::storage::RunStore;
use super::worker::append;

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
pub(super) fn check_processes(scratch: &Path, store: &str) -> anyhow::Result<(ConformanceReport, usize)> {
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
            return Err(format!("the question about {call} is missing"));
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
