//! `cargo xtask fuzz`: builds the fuzz targets, seeds their corpora and runs them for a limited time.

mod seeds;

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Cmd, Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{Outcome, StepStatus};
use crate::fetch;
use crate::install::{self, InstalledCommand, Tool};

pub(crate) const HELP: &str = "\
cargo xtask fuzz [TARGET] [--seconds N]

Seeds and runs the fuzz targets, and reports crashes.

Without TARGET all of fuzz/ run, one after the other. Uses a nightly toolchain and the address
sanitizer where there is one, else the stable one without a sanitizer. An input that breaks a
target belongs into fuzz/regressions/TARGET/ under a name that describes the defect: `cargo test`
replays those inputs.

  --seconds N   how long each target runs (60)";

const MANIFEST: &str = "fuzz/Cargo.toml";
const DEFAULT_SECONDS: u64 = 60;

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let seconds = arguments.number("--seconds")?.unwrap_or(DEFAULT_SECONDS);
    let wanted = arguments.word();
    arguments.finish()?;
    let mut targets = targets(sh)?;
    if let Some(wanted) = wanted {
        if !targets.contains(&wanted) {
            bail!("unknown fuzz target `{wanted}`; there are: {}", targets.join(", "));
        }
        targets = vec![wanted];
    }
    let cargo_fuzz = match install::ensure(sh, install::FUZZ)? {
        Tool::Ready(cargo_fuzz) => cargo_fuzz,
        Tool::Missing { how_to } => bail!("{how_to}"),
    };
    // `cargo fuzz` does not accept `--locked`. If the lock file matches its manifest, it has nothing to
    // rewrite.
    if fetch::all(sh)?.status == StepStatus::Failed {
        bail!("a lock file does not match its manifest");
    }
    let mode = Mode::detect(sh);
    let mut reports = Vec::new();
    for target in &targets {
        reports.push(fuzz(sh, &cargo_fuzz, mode, target, seconds)?);
    }
    println!();
    for report in &reports {
        println!("{}", report.line());
    }
    let is_good = reports.iter().all(|report| report.success);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs each target for a few seconds without a sanitizer: the project has no unsafe code for it to check,
/// and the build takes a third of the time.
pub(crate) fn smoke(sh: &Shell, seconds: u64) -> Result<Outcome> {
    if !sh.path_exists(MANIFEST) {
        return Ok(Outcome::new(StepStatus::Skipped, format!("{MANIFEST} is missing")));
    }
    let targets = targets(sh)?;
    let cargo_fuzz = match install::ensure(sh, install::FUZZ)? {
        Tool::Ready(cargo_fuzz) => cargo_fuzz,
        Tool::Missing { how_to } => return Ok(Outcome::new(StepStatus::Skipped, how_to)),
    };
    let mut lines = Vec::new();
    let mut success = true;
    for target in &targets {
        let report = fuzz(sh, &cargo_fuzz, Mode::Stable, target, seconds)?;
        success &= report.success;
        lines.push(report.line());
    }
    let note = format!("{} targets, {seconds} s each", targets.len());
    Ok(Outcome { note, lines, ..Outcome::from_success(success) })
}

/// The toolchain of the fuzz build.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The nightly toolchain with the address sanitizer.
    Nightly,
    /// The default toolchain without a sanitizer; `RUSTC_BOOTSTRAP` makes it accept the coverage flags.
    Stable,
}

impl Mode {
    fn detect(sh: &Shell) -> Self {
        let toolchains = cmd!(sh, "rustup toolchain list").quiet().ignore_stderr().read().unwrap_or_default();
        if toolchains.lines().any(|name| name.starts_with("nightly")) { Self::Nightly } else { Self::Stable }
    }

    /// Returns the command `cargo fuzz ACTION` with the toolchain and sanitizer of this mode.
    fn call<'a>(self, sh: &'a Shell, cargo_fuzz: &InstalledCommand, action: &str) -> Cmd<'a> {
        let call = cargo_fuzz.call(sh).arg(action);
        match self {
            Self::Nightly => call.env("RUSTUP_TOOLCHAIN", "nightly"),
            Self::Stable => call.args(["--sanitizer", "none"]).env("RUSTC_BOOTSTRAP", "1"),
        }
    }
}

/// The results of fuzzing one target.
struct Report {
    target: String,
    success: bool,
    executions: Option<u64>,
    crashes: Vec<String>,
}

impl Report {
    fn line(&self) -> String {
        let executions = self.executions.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
        let mut line = format!("fuzz: {}: {executions} executions", self.target);
        if self.crashes.is_empty() {
            line.push_str(if self.success { ", no crash" } else { ", FAILED to build or run" });
        } else {
            line.push_str(", CRASHED: ");
            line.push_str(&self.crashes.join(", "));
        }
        line
    }
}

fn fuzz(sh: &Shell, cargo_fuzz: &InstalledCommand, mode: Mode, target: &str, seconds: u64) -> Result<Report> {
    let seeded = seeds::sow(sh, target)?;
    capture::say(format_args!("{target}: {seeded}"));
    let before = artifacts(sh, target);
    let build = mode.call(sh, cargo_fuzz, "build").arg(target);
    if !capture::pass_through(build)? {
        return Ok(Report {
            target: target.to_owned(),
            success: false,
            executions: None,
            crashes: Vec::new(),
        });
    }
    let time = format!("-max_total_time={seconds}");
    // A hang counts as a finding; libFuzzer's own limit stops an input that uses more than 4 GB of memory.
    let run = mode.call(sh, cargo_fuzz, "run").arg(target).args([
        "--",
        &time,
        "-timeout=10",
        "-print_final_stats=1",
    ]);
    let captured = capture::run(run, Keep::Stderr, |_| false)?;
    if !captured.success {
        captured.print();
    }
    let crashes = artifacts(sh, target).difference(&before).cloned().collect();
    let executions = captured
        .lines
        .iter()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok());
    Ok(Report { target: target.to_owned(), success: captured.success, executions, crashes })
}

/// Returns the inputs that libFuzzer stored because they broke the target.
fn artifacts(sh: &Shell, target: &str) -> BTreeSet<String> {
    let folder = format!("fuzz/artifacts/{target}");
    let paths = sh.read_dir(&folder).unwrap_or_default();
    paths
        .iter()
        .filter_map(|path| Some(format!("{folder}/{}", path.file_name()?.to_string_lossy())))
        .collect()
}

/// Returns the names of the fuzz package's programs.
fn targets(sh: &Shell) -> Result<Vec<String>> {
    if !sh.path_exists(MANIFEST) {
        bail!("{MANIFEST} is missing: there is nothing to fuzz");
    }
    let output = cmd!(sh, "cargo metadata --format-version 1 --no-deps --locked --manifest-path {MANIFEST}");
    let metadata: Value =
        serde_json::from_str(&output.quiet().read()?).context("cargo metadata printed no JSON")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let is_program = |target: &&Value| {
        target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("bin")))
    };
    let mut names: Vec<String> = packages
        .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        .filter(is_program)
        .filter_map(|target| Some(target["name"].as_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}
