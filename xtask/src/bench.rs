//! `cargo xtask bench`: runs the benchmarks, for figures or as a smoke test.

mod growth;
mod peers;
mod terminal;

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture;
use crate::ci::{Outcome, StepStatus};
use crate::project::Project;

pub(crate) const HELP: &str = "\
cargo xtask bench [FILTER] [--smoke] [--save NAME]

Runs the benchmarks and prints their figures.

FILTER is a benchmark program, such as `partial_json`, or a part of a benchmark's name.

  --smoke       runs each once, without optimization and without figures
  --save NAME   keeps the figures under a name, to compare a later run with

cargo xtask bench growth [CRATE]

Runs the growth tests in a release build and prints a line for each shape of text: how long a reader takes for the longest
text and for a quarter of it, and how far the memory of its process grows. A text that takes more than 50 ms of a processor
or grows the memory by 64 MiB fails. CRATE is a name such as `hitl`; without it all crates with such tests run.

cargo xtask bench terminal

Starts the terminal program of a release build on a pseudo-terminal, against the scripted provider, and prints a line for
each figure with its limit: processor time and bytes of a stream of 200 deltas a second, the time from a key to the screen
while it streams, and the time from the start to the prompt, also with a session of 5 MB. Takes a minute, and needs
python3 and an idle machine. A limit that is not reached fails the command.

cargo xtask bench peers [TARGET] [--json]

Measures the parsing path and whole tool loops beside other crates that do the same, on the same workloads: a line for each
value that PERFORMANCE names, with its target, its aim, and which of them it reaches. Instructions are
counted with valgrind where it is installed. All of it takes a few minutes and prints its progress; the
first run also builds the peers, in `target/peers`. A target that is not reached does not fail the command.

TARGET is an id, `T1` to `T10`, `L1` to `L5`, `M5` or `M6`; without it all are measured.

  --json        prints one array of {id, what, value, unit, target, aim, reached, note}

For example, the cost of a delta: `cargo xtask bench peers T1`";

const PACKAGE: &str = "windlass-benches";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_smoke = arguments.flag("--smoke");
    let save = arguments.option("--save")?;
    let filter = arguments.word();
    if filter.as_deref() == Some("peers") {
        if is_smoke || save.is_some() {
            bail!("`bench peers` takes a target and `--json`, not `--smoke` or `--save`");
        }
        return peers::run(sh, arguments);
    }
    if filter.as_deref() == Some("growth") {
        return growth::run(sh, arguments);
    }
    arguments.finish()?;
    if filter.as_deref() == Some("terminal") {
        return terminal::run(sh);
    }
    let project = Project::load(sh)?;
    let outcome = if is_smoke {
        smoke(sh, &project, filter.as_deref())?
    } else {
        measure(sh, &project, filter.as_deref(), save.as_deref())?
    };
    Ok(outcome.exit_code())
}

/// Runs every benchmark once: benchmark programs do that under `cargo test`.
pub(crate) fn smoke(sh: &Shell, project: &Project, filter: Option<&str>) -> Result<Outcome> {
    let Some(Choice { programs, filter }) = Choice::new(project, filter) else {
        return Ok(no_benches());
    };
    Ok(Outcome::from_success(capture::pass_through(cmd!(
        sh,
        "cargo test --locked -p {PACKAGE} {programs...} -- {filter...}"
    ))?))
}

fn measure(sh: &Shell, project: &Project, filter: Option<&str>, save: Option<&str>) -> Result<Outcome> {
    let Some(Choice { programs, filter }) = Choice::new(project, filter) else {
        return Ok(no_benches());
    };
    let save: Vec<String> = save.map(|name| format!("--save-baseline={name}")).into_iter().collect();
    let table = if filter.is_none() { Some(programs.as_slice()) } else { None };
    let only = table.filter(|programs| programs.len() == 1).and_then(|programs| programs.first());
    let only = only.map(|program| program.replace("--bench=", ""));
    let programs = &programs;
    let bench = cmd!(sh, "cargo bench --locked -p {PACKAGE} {programs...} -- {filter...} {save...}");
    let measured = capture::pass_through(bench)?;
    if table.is_none() {
        return Ok(Outcome::from_success(measured));
    }
    // Print the same workloads as one table of costs per delta or event, which the READMEs quote.
    let figures =
        cmd!(sh, "cargo run --locked --quiet --profile bench -p {PACKAGE} --bin figures -- {only...}");
    Ok(Outcome::from_success(capture::pass_through(figures)? && measured))
}

fn no_benches() -> Outcome {
    Outcome::new(StepStatus::Skipped, format!("{PACKAGE} has no benchmark program"))
}

/// The benchmark programs to run, and their filter. Programs are named individually, because the package's
/// library has no benchmarks and would not accept the arguments.
struct Choice {
    programs: Vec<String>,
    filter: Option<String>,
}

impl Choice {
    fn new(project: &Project, filter: Option<&str>) -> Option<Self> {
        let benches = &project.package(PACKAGE)?.benches;
        if benches.is_empty() {
            return None;
        }
        let one = filter.filter(|filter| benches.iter().any(|bench| bench == filter));
        let programs = benches.iter().filter(|bench| one.is_none_or(|one| one == bench.as_str()));
        let programs = programs.map(|bench| format!("--bench={bench}")).collect();
        let filter = filter.filter(|_| one.is_none()).map(str::to_owned);
        Some(Self { programs, filter })
    }
}
