//! `cargo xtask ci`: runs all checks, cheapest first, and prints one summary.

mod disk;
mod lanes;
pub(crate) mod libtest;
mod steps;
mod summary;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use xshell::Shell;

use crate::arguments::Arguments;
use crate::ci::lanes::Lane;
use crate::ci::summary::Summary;
use crate::project::Project;
use crate::{acp, browser, clients};

pub(crate) const HELP: &str = "\
cargo xtask ci [--quick] [--strict]

Runs every check, the cheapest first, and sums up.

Two slow steps run beside the others, and their output is printed at their end. A row has the seconds of a step, in brackets the processor seconds that
all steps used meanwhile, and the space that the disk has left.

A failed step does not stop the others. The last line counts steps: `N passed, N failed`, and
`, N skipped` where a step could not run; the summary has the reason and the missing program.

A test fails if it skips a case whose needs (git, a browser, the corpora) this machine
fulfils: WINDLASS_STRICT names these needs, unless it is set already. 1 means all needs.

  --quick    leaves out the slow steps, and names them
  --strict   a skipped step fails, too";

/// Features that are disabled by default. Clippy and the tests enable them; the programs that other steps
/// build do not, so both configurations are compiled.
pub(crate) const OFF_BY_DEFAULT: &str = "windlass-cli/otlp,windlass-cli/sqlite,windlass-cli/postgres,windlass-cli/temporal,windlass-redteam/databases,windlass/full";

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

    /// Joins the outcomes of parts: failed if one failed, and skipped if all were.
    pub(crate) fn join(parts: Vec<Self>) -> Self {
        let has = |status| parts.iter().any(|part| part.status == status);
        let status = if has(StepStatus::Failed) {
            StepStatus::Failed
        } else if has(StepStatus::Passed) {
            StepStatus::Passed
        } else {
            StepStatus::Skipped
        };
        let notes: Vec<&str> = parts.iter().map(|part| part.note.as_str()).collect();
        let note = notes.join("; ");
        Self { status, note, lines: parts.into_iter().flat_map(|part| part.lines).collect() }
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
    lane: Lane,
    run: fn(&Setting<'_>) -> Result<Outcome>,
}

/// The steps, cheapest first. All steps that compile give rustc the same flags, so that none rebuilds the output of
/// another. The two beside the others compile while tests and servers wait.
const STEPS: [Step; 19] = [
    Step { name: "fetch", pace: Pace::Quick, lane: Lane::Main, run: steps::fetch },
    Step { name: "fmt", pace: Pace::Quick, lane: Lane::Main, run: steps::fmt },
    Step { name: "tidy", pace: Pace::Quick, lane: Lane::Main, run: steps::tidy },
    Step { name: "deny", pace: Pace::Slow, lane: Lane::Main, run: steps::deny },
    Step { name: "clippy", pace: Pace::Quick, lane: Lane::Main, run: steps::clippy },
    Step { name: "each crate alone", pace: Pace::Slow, lane: Lane::Beside, run: steps::each_crate_alone },
    Step { name: "fuzz smoke", pace: Pace::Slow, lane: Lane::Beside, run: steps::fuzz_smoke },
    Step { name: "doc", pace: Pace::Quick, lane: Lane::Main, run: steps::doc },
    Step { name: "test", pace: Pace::Quick, lane: Lane::Main, run: steps::test },
    Step { name: "corpora", pace: Pace::Slow, lane: Lane::Main, run: steps::corpora },
    Step { name: "official libraries", pace: Pace::Slow, lane: Lane::Main, run: steps::sdk },
    Step {
        name: "client libraries",
        pace: Pace::Slow,
        lane: Lane::Main,
        run: |setting| clients::test(setting.sh),
    },
    Step { name: "front ends", pace: Pace::Slow, lane: Lane::Main, run: |setting| browser::test(setting.sh) },
    Step {
        name: "editor protocol",
        pace: Pace::Slow,
        lane: Lane::Main,
        run: |setting| acp::test(setting.sh),
    },
    Step { name: "mcp", pace: Pace::Slow, lane: Lane::Main, run: steps::mcp },
    Step { name: "temporal", pace: Pace::Slow, lane: Lane::Main, run: steps::temporal },
    Step { name: "attacks", pace: Pace::Slow, lane: Lane::Main, run: steps::attacks },
    Step { name: "crashes", pace: Pace::Slow, lane: Lane::Main, run: steps::crashes },
    Step { name: "bench smoke", pace: Pace::Slow, lane: Lane::Main, run: steps::bench_smoke },
];

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let quick = arguments.flag("--quick");
    let strict = arguments.flag("--strict");
    arguments.finish()?;
    let (chosen, left_out): (Vec<&Step>, Vec<&Step>) =
        STEPS.iter().partition(|step| !quick || step.pace == Pace::Quick);
    let project = Project::load(sh)?;
    disk::warn_if_short(sh);
    let setting = Setting { sh, project: &project, started: Instant::now() };
    let summary = Summary {
        steps: lanes::perform_all(&chosen, &setting),
        left_out: left_out.iter().map(|step| step.name).collect(),
    };
    println!("\n{}", summary.text(setting.elapsed()));
    let is_good =
        summary.count(StepStatus::Failed) == 0 && (!strict || summary.count(StepStatus::Skipped) == 0);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
