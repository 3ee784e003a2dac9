//! The command line: a run of catalogues, or an internal subcommand that runs one case in this process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::case::{self, CaseArguments};
use crate::crash::{Cancel, Conform, Cost, Crash, Durable, Fence, Owner, Victim, Worker};
#[cfg(feature = "databases")]
use crate::crash::{Outage, SuspendedRuns};
use crate::faults::InjectedFault;
use crate::observed::Ending;
use crate::run::RunOptions;

/// Runs a catalogue of attacks, and one of faults, as they are.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    inner: Option<Inner>,
    #[command(flatten)]
    chosen: RunOptions,
}

/// Subcommands. The harness starts the hidden ones itself, in child processes.
#[derive(Debug, Subcommand)]
enum Inner {
    /// Runs one case and writes its ending into its folder.
    #[command(hide = true)]
    Case(OneCase),
    /// Injects one fault and writes the result into its folder.
    #[command(hide = true)]
    Fault(OneFault),
    /// Writes a file again and again until it is killed.
    #[command(hide = true)]
    WriteOn { workspace: PathBuf },
    /// Kills runs at arbitrary moments, and resumes them.
    Crash(Crash),
    /// Cancels and drops a run at each of its polls.
    Cancel(Cancel),
    /// Kills processes that run the jobs of the conformance suite.
    Conform(Conform),
    /// Measures what records cost in each store.
    Cost(Cost),
    /// Runs the conformance suite over several stores.
    Durable(Durable),
    /// Stops owners of runs past their leases, and checks that their writes are refused.
    Fence(Fence),
    /// Kills the server of PostgreSQL, and processes of runs, while the runs work.
    #[cfg(feature = "databases")]
    Outage(Outage),
    /// Answers runs among many suspended ones, and measures the time until they work again.
    #[cfg(feature = "databases")]
    Suspended(SuspendedRuns),
    /// Owns a run and appends records until it loses its lease.
    #[command(hide = true)]
    Owner(Owner),
    /// Runs a job of the conformance suite in this process.
    #[command(hide = true)]
    Worker(Worker),
    /// Performs the run that the harness kills.
    #[command(hide = true)]
    Victim(Victim),
    /// Waits under a name like the agent's, to show that a case does not kill unrelated processes.
    #[command(hide = true)]
    StandBy { name: String },
    /// Serves MCP for a case.
    #[command(hide = true)]
    ServeMcp { script: String },
}

#[derive(Debug, clap::Args)]
pub(crate) struct OneCase {
    index: usize,
    #[arg(long)]
    file: PathBuf,
    #[arg(long)]
    scratch: PathBuf,
    #[arg(long)]
    template: PathBuf,
    #[arg(long)]
    program: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct OneFault {
    injected: InjectedFault,
    #[arg(long)]
    scratch: PathBuf,
    #[arg(long)]
    template: PathBuf,
    #[arg(long)]
    program: Option<PathBuf>,
}

pub(crate) enum Work {
    Case(OneCase),
    Fault(OneFault),
    WriteOn(PathBuf),
    Crash(Crash),
    Cancel(Cancel),
    Conform(Conform),
    Cost(Cost),
    Durable(Durable),
    Fence(Fence),
    #[cfg(feature = "databases")]
    Outage(Outage),
    #[cfg(feature = "databases")]
    Suspended(SuspendedRuns),
    Owner(Owner),
    Worker(Worker),
    Victim(Victim),
    StandBy,
    ServeMcp(String),
    Catalogues(RunOptions),
}

impl Arguments {
    pub(crate) fn work(self) -> Work {
        match self.inner {
            Some(Inner::Case(told)) => Work::Case(told),
            Some(Inner::Fault(told)) => Work::Fault(told),
            Some(Inner::WriteOn { workspace }) => Work::WriteOn(workspace),
            Some(Inner::Crash(told)) => Work::Crash(told),
            Some(Inner::Cancel(told)) => Work::Cancel(told),
            Some(Inner::Conform(told)) => Work::Conform(told),
            Some(Inner::Cost(told)) => Work::Cost(told),
            Some(Inner::Durable(told)) => Work::Durable(told),
            Some(Inner::Fence(told)) => Work::Fence(told),
            #[cfg(feature = "databases")]
            Some(Inner::Outage(told)) => Work::Outage(told),
            #[cfg(feature = "databases")]
            Some(Inner::Suspended(told)) => Work::Suspended(told),
            Some(Inner::Owner(told)) => Work::Owner(told),
            Some(Inner::Worker(told)) => Work::Worker(told),
            Some(Inner::Victim(told)) => Work::Victim(told),
            Some(Inner::StandBy { .. }) => Work::StandBy,
            Some(Inner::ServeMcp { script }) => Work::ServeMcp(script),
            None => Work::Catalogues(self.chosen),
        }
    }
}

impl OneCase {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let secret = std::env::var("OPENAI_API_KEY")?;
        let ending = case::run(&CaseArguments {
            file: &self.file,
            index: self.index,
            folder: &self.scratch,
            template: &self.template,
            program: self.program.as_deref(),
            secret: &secret,
        });
        end(&self.scratch, &ending)
    }
}

impl OneFault {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let secret = std::env::var("OPENAI_API_KEY")?;
        let ending = self.injected.run(&self.scratch, &self.template, self.program.as_deref(), &secret);
        end(&self.scratch, &ending)
    }
}

fn end(folder: &Path, ending: &Ending) -> anyhow::Result<ExitCode> {
    std::fs::write(folder.join("ending.json"), serde_json::to_vec(ending)?)?;
    // Exit at once: threads of servers and helpers may still run, but their output is not needed.
    std::process::exit(0);
}
