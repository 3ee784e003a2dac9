//! Runs the tests of the workspace that show faults: builds them first, then runs them, each within a time limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use crate::supervise::{end_group, wait};

/// The time limits of the two phases. A cold build beside other work takes most of an hour on two cores.
const BUILD_LIMIT: Duration = Duration::from_hours(2);
const TEST_LIMIT: Duration = Duration::from_mins(30);
/// The number of lines of output that a failure repeats.
const LAST_LINES: usize = 8;

/// A test of the workspace: its crate and its path in the crate.
pub(super) type TestName = (&'static str, &'static str);

/// The phase that ended before its tests had results, with the last lines of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The tests did not build.
    NotBuilt(String),
    /// The phase took longer than its limit.
    TimedOut { phase: &'static str, limit: Duration, last_lines: String },
    /// The command could not be started.
    NotStarted(String),
    /// The tests were started, and the run failed without a failed test: a test process crashed, or cargo refused
    /// its arguments.
    Crashed(String),
}

/// The results of tests, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TestRun {
    passed: BTreeSet<String>,
    /// The failed tests, each with the last lines of its output.
    failed: BTreeMap<String, String>,
    /// The reason for the end of the results.
    stop: Option<Stop>,
}

/// The end of a command.
struct CommandEnd {
    is_in_time: bool,
    success: bool,
    stdout: String,
    stderr: String,
}

impl TestRun {
    /// Builds the tests, and then runs them. One invocation of cargo builds all of them, because each set of crates
    /// is built separately.
    pub(super) fn run_tests(wanted: &BTreeSet<TestName>) -> Self {
        if wanted.is_empty() {
            return Self::default();
        }
        let crates: BTreeSet<&str> = wanted.iter().map(|(package, _)| *package).collect();
        let packages: Vec<String> = crates
            .iter()
            .flat_map(|package| ["--package".to_owned(), format!("windlass-{package}")])
            .collect();
        let cargo = || Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // `--tests` would leave out the examples, and tests start some of them as helpers: they would then find no
        // example, or one of an older build.
        let mut build = cargo();
        build.args(["test", "--locked", "--no-run"]).args(&packages);
        if let Err(stop) = build_within(build, BUILD_LIMIT) {
            return Self { stop: Some(stop), ..Self::default() };
        }
        let mut test = cargo();
        test.args(["test", "--locked", "--no-fail-fast", "--tests"]).args(&packages).args(["--", "--exact"]);
        test.args(wanted.iter().map(|(_, test)| *test));
        Self::run_within(test, TEST_LIMIT)
    }

    /// Runs built tests.
    fn run_within(test: Command, limit: Duration) -> Self {
        match finish_within(test, limit) {
            Err(error) => Self { stop: Some(Stop::NotStarted(format!("{error:#}"))), ..Self::default() },
            Ok(finished) => {
                let mut run = Self::parse(&finished.stdout);
                if !finished.is_in_time {
                    let last_lines = last_lines(&finished.stdout);
                    run.stop = Some(Stop::TimedOut { phase: "run", limit, last_lines });
                } else if !finished.success && run.failed.is_empty() {
                    run.stop = Some(Stop::Crashed(last_lines(&finished.stderr)));
                }
                run
            }
        }
    }

    /// Reads the output of libtest.
    fn parse(stdout: &str) -> Self {
        let names = |end: &str| -> BTreeSet<String> {
            let lines = stdout.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(end));
            lines.map(str::to_owned).collect()
        };
        let failed = names(" ... FAILED");
        let passed = &names(" ... ok") - &failed;
        let with_output = |name: String| {
            let output = output_of(stdout, &name);
            (name, output)
        };
        Self { passed, failed: failed.into_iter().map(with_output).collect(), stop: None }
    }

    /// Returns the reason why a test does not show its fault, or `None` if it passed.
    pub(super) fn problem(&self, (package, test): TestName) -> Option<String> {
        if self.passed.contains(test) {
            return None;
        }
        Some(match (self.failed.get(test), &self.stop) {
            (Some(output), _) => format!("{test} of {package} failed: {output}"),
            (None, Some(Stop::NotBuilt(lines))) => format!("{test} of {package} did not build: {lines}"),
            (None, Some(Stop::TimedOut { phase, limit, last_lines })) => {
                format!(
                    "{test} of {package} timed out: the {phase} took over {} s: {last_lines}",
                    limit.as_secs()
                )
            }
            (None, Some(Stop::NotStarted(why))) => {
                format!("{test} of {package} was not run, because cargo did not start: {why}")
            }
            (None, Some(Stop::Crashed(lines))) => {
                format!(
                    "{test} of {package} has no result, because the run failed without a failed test: {lines}"
                )
            }
            (None, None) => format!("{test} of {package} does not exist"),
        })
    }
}

/// Builds tests.
fn build_within(build: Command, limit: Duration) -> Result<(), Stop> {
    let finished = finish_within(build, limit).map_err(|error| Stop::NotStarted(format!("{error:#}")))?;
    let last_lines = last_lines(&finished.stderr);
    match finished {
        CommandEnd { is_in_time: false, .. } => Err(Stop::TimedOut { phase: "build", limit, last_lines }),
        CommandEnd { success: false, .. } => Err(Stop::NotBuilt(last_lines)),
        _ => Ok(()),
    }
}

/// Runs a command in a process group of its own, and kills the group after the limit. Its output goes to files,
/// because a pipe that a grandchild holds would have no end.
fn finish_within(mut command: Command, limit: Duration) -> anyhow::Result<CommandEnd> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).process_group(0);
    let mut child = command.spawn().context("cargo cannot be started")?;
    let is_in_time = wait(&mut child, limit);
    end_group(&child);
    let success = child.wait()?.success();
    Ok(CommandEnd { is_in_time, success, stdout: read(&mut stdout)?, stderr: read(&mut stderr)? })
}

fn read(file: &mut File) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the last lines of the section that libtest prints for a failed test.
fn output_of(stdout: &str, test: &str) -> String {
    let head = format!("---- {test} stdout ----");
    let section = stdout.lines().skip_while(|line| *line != head).skip(1);
    let is_inside = |line: &&str| !line.starts_with("---- ") && *line != "failures:";
    last_lines(&section.take_while(is_inside).collect::<Vec<_>>().join("\n"))
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    if last.is_empty() { "it printed nothing".to_owned() } else { last.join("\n") }
}

#[cfg(test)]
mod tests;
