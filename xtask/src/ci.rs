//! `cargo xtask ci`: runs all checks, cheapest first, and prints one summary.

pub(crate) mod libtest;
mod steps;
mod summary;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::ci::summary::{FinishedStep, Summary};
use crate::project::Project;

pub(crate) const HELP: &str = "\
cargo xtask ci [--quick] [--strict]

Runs every check, the cheapest first, and sums up.

A failed step does not stop the others. The last line counts steps: `N passed, N failed`, and
`, N skipped` where a step could not run; the summary says why and what to install.

A test that skips a case although this machine has what the case needs (git, a browser, the corpora)
fails: WINDLASS_STRICT names these needs, unless it is set already. 1 means all needs.

  --quick    leaves out the slow steps, and says which
  --strict   a skipped step fails, too";

/// Features that are disabled by default. Clippy and the tests enable them; the programs that other steps
/// build do not, so both configurations are compiled.
pub(crate) const OFF_BY_DEFAULT: &str = "windlass-cli/otlp,windlass-cli/sqlite,windlass-cli/postgres,windlass-cli/temporal,windlass-redteam/databases,windlass/full";

/// Disk space that a full run needs, including the tools that it installs.
const NEEDED_GIGABYTES: u64 = 30;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepStatus {
    Passed,
    Failed,
    Skipped,
}

/// The outcome of a step: its status, a note for its row, and lines that the summary repeats.
pub(crate) struct Outcome {
    pub(crate) status: StepStatus,
    pub(crate) note: String,
    pub(crate) lines: Vec<String>,
}

impl Outcome {
    pub(crate) fn new(status: StepStatus, note: impl Into<String>) -> Self {
        Self { status, note: note.into(), lines: Vec::new() }
    }

    pub(crate) fn from_success(success: bool) -> Self {
        Self::new(if success { StepStatus::Passed } else { StepStatus::Failed }, "")
    }

    /// Prints the outcome of a command that consists of one step, and returns its exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        for line in &self.lines {
            println!("{line}");
        }
        match self.status {
            StepStatus::Skipped => println!("skipped: {}", self.note),
            StepStatus::Passed | StepStatus::Failed if self.note.is_empty() => {}
            StepStatus::Passed | StepStatus::Failed => println!("{}", self.note),
        }
        if self.status == StepStatus::Failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// The setting that determines whether `--quick` runs a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Quick,
    Slow,
}

/// The context of a step.
struct Setting<'a> {
    sh: &'a Shell,
    project: &'a Project,
    started: Instant,
}

impl Setting<'_> {
    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

struct Step {
    name: &'static str,
    pace: Pace,
    run: fn(&Setting<'_>) -> Result<Outcome>,
}

/// The steps, cheapest first. Fuzzing is last, because it is skipped when the time is used up. All steps that
/// compile give rustc the same flags, so that none rebuilds the output of another.
const STEPS: [Step; 16] = [
    Step { name: "fetch", pace: Pace::Quick, run: steps::fetch },
    Step { name: "fmt", pace: Pace::Quick, run: steps::fmt },
    Step { name: "tidy", pace: Pace::Quick, run: steps::tidy },
    Step { name: "deny", pace: Pace::Slow, run: steps::deny },
    Step { name: "clippy", pace: Pace::Quick, run: steps::clippy },
    Step { name: "each crate alone", pace: Pace::Slow, run: steps::each_crate_alone },
    Step { name: "doc", pace: Pace::Quick, run: steps::doc },
    Step { name: "test", pace: Pace::Quick, run: steps::test },
    Step { name: "corpora", pace: Pace::Slow, run: steps::corpora },
    Step { name: "official libraries", pace: Pace::Slow, run: steps::sdk },
    Step { name: "mcp", pace: Pace::Slow, run: steps::mcp },
    Step { name: "temporal", pace: Pace::Slow, run: steps::temporal },
    Step { name: "attacks", pace: Pace::Slow, run: steps::attacks },
    Step { name: "crashes", pace: Pace::Slow, run: steps::crashes },
    Step { name: "bench smoke", pace: Pace::Slow, run: steps::bench_smoke },
    Step { name: "fuzz smoke", pace: Pace::Slow, run: steps::fuzz_smoke },
];

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let quick = arguments.flag("--quick");
    let strict = arguments.flag("--strict");
    arguments.finish()?;
    let (chosen, left_out): (Vec<&Step>, Vec<&Step>) =
        STEPS.iter().partition(|step| !quick || step.pace == Pace::Quick);
    let project = Project::load(sh)?;
    if std::env::var_os("CI").is_some() {
        // Incremental data is a fifth of the target folder and useless without a later build.
        sh.set_var("CARGO_INCREMENTAL", "0");
    }
    tell_of_a_full_disk(sh);
    let setting = Setting { sh, project: &project, started: Instant::now() };
    let mut summary = Summary::default();
    for (index, step) in chosen.iter().enumerate() {
        println!("\n[{}/{}] {}", index.saturating_add(1), chosen.len(), step.name);
        let finished = perform(step, &setting);
        println!("[{}/{}] {}", index.saturating_add(1), chosen.len(), finished.row());
        summary.steps.push(finished);
    }
    summary.left_out = left_out.iter().map(|step| step.name).collect();
    println!("\n{}", summary.text(setting.elapsed()));
    let is_good =
        summary.count(StepStatus::Failed) == 0 && (!strict || summary.count(StepStatus::Skipped) == 0);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Warns if the disk is nearly full: a linker without space dies of a bus error, without mentioning the disk.
fn tell_of_a_full_disk(sh: &Shell) {
    // The second line of `df -P` contains the file system, then total, used and free kilobytes.
    let table = cmd!(sh, "df -Pk .").quiet().ignore_stderr().read().unwrap_or_default();
    let row = table.lines().nth(1).unwrap_or_default();
    let free = row.split_whitespace().nth(3).and_then(|free| free.parse::<u64>().ok());
    if let Some(gigabytes) = free.map(|kilobytes| kilobytes >> 20).filter(|&free| free < NEEDED_GIGABYTES) {
        println!("note: {gigabytes} GB are free here; a run from nothing needs about {NEEDED_GIGABYTES}");
    }
}

/// Runs a step. An error counts as a failure, and the other steps still run.
fn perform(step: &Step, setting: &Setting<'_>) -> FinishedStep {
    let begun = Instant::now();
    let outcome = (step.run)(setting).unwrap_or_else(|error| {
        println!("error: {error:#}");
        Outcome::new(StepStatus::Failed, format!("{error:#}").lines().next().unwrap_or_default())
    });
    FinishedStep { name: step.name, outcome, took: begun.elapsed() }
}
