//! Runs the published conformance suite, and the next one, against a server of the project and its client.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::expected::{CLIENT, Expectation, NEXT_CLIENT, NEXT_SERVER, SERVER};
use super::install::{InstalledServers, Suite};
use crate::capture;
use crate::ci::{OFF_BY_DEFAULT, Outcome, StepStatus};
use crate::project::target;

/// One scenario in the suite's summary.
#[derive(Debug, PartialEq, Eq)]
struct Scenario {
    name: String,
    is_passed: bool,
}

/// One run of a suite.
struct Run {
    mode: &'static str,
    suite: Suite,
    /// The option that selects the scenarios, and its value.
    selection: [&'static str; 2],
    expected: Expectation,
}

const SERVER_RUNS: [Run; 2] = [
    Run { mode: "server mode", suite: Suite::Published, selection: ["--suite", "all"], expected: SERVER },
    Run {
        mode: "server mode of 2026-07-28",
        suite: Suite::Next,
        selection: ["--requirements", "2026-07-28"],
        expected: NEXT_SERVER,
    },
];

const CLIENT_RUNS: [Run; 2] = [
    Run { mode: "client mode", suite: Suite::Published, selection: ["--suite", "all"], expected: CLIENT },
    Run {
        mode: "client mode of 2026-07-28",
        suite: Suite::Next,
        selection: ["--requirements", "2026-07-28"],
        expected: NEXT_CLIENT,
    },
];

/// Runs the suites for the server and for the client, with separate counts.
pub(super) fn both(sh: &Shell, installed: &InstalledServers) -> Result<Vec<Outcome>> {
    let Some(node) = &installed.node else {
        return Ok(vec![Outcome::new(StepStatus::Skipped, "there is no suite")]);
    };
    for example in ["conformance_server", "conformance_client"] {
        if !capture::pass_through(cmd!(
            sh,
            "cargo build --locked --quiet --workspace --features {OFF_BY_DEFAULT} --example {example}"
        ))? {
            return Ok(vec![Outcome::new(StepStatus::Failed, format!("{example} does not build"))]);
        }
    }
    let mut outcomes = Vec::new();
    for run in &SERVER_RUNS {
        outcomes.push(server(sh, node, installed, run)?);
    }
    for run in &CLIENT_RUNS {
        outcomes.push(client(sh, node, installed, run)?);
    }
    Ok(outcomes)
}

fn server(sh: &Shell, node: &Path, installed: &InstalledServers, run: &Run) -> Result<Outcome> {
    let out = installed.home.join("server-results");
    sh.remove_path(&out)?;
    let served = RunningServer::start(&target(sh).join("debug/examples/conformance_server"))?;
    let (suite, url, [option, value]) = (installed.suite(run.suite), &served.url, run.selection);
    let command = cmd!(sh, "{node} {suite} server --url {url} {option} {value} -o {out}");
    let text = command.quiet().ignore_status().ignore_stderr().read()?;
    Ok(compare(run.mode, &text, run.expected))
}

fn client(sh: &Shell, node: &Path, installed: &InstalledServers, run: &Run) -> Result<Outcome> {
    let (suite, out) = (installed.suite(run.suite), installed.home.join("client-results"));
    sh.remove_path(&out)?;
    let program = target(sh).join("debug/examples/conformance_client");
    let (suite, program, out, [option, value]) = (&suite, &program, &out, run.selection);
    let command = cmd!(sh, "{node} {suite} client --command {program} {option} {value} -o {out}");
    let text = command.quiet().ignore_status().ignore_stderr().read()?;
    // The suite runs all scenarios at once with the same timeout, so one may time out on a busy machine. A
    // late scenario is reported.
    let alone = |name: &str| {
        let run = cmd!(sh, "{node} {suite} client --command {program} --scenario {name} -o {out}");
        run.quiet().ignore_stdout().ignore_stderr().run().is_ok()
    };
    Ok(compare_with_retries(run.mode, &text, run.expected, alone))
}

fn compare(mode: &str, text: &str, expected: Expectation) -> Outcome {
    compare_with_retries(mode, text, expected, |_| false)
}

/// Compares the failed scenarios with the expected failures. An unexpected failure is retried alone.
fn compare_with_retries(
    mode: &str,
    text: &str,
    expected: Expectation,
    alone: impl Fn(&str) -> bool,
) -> Outcome {
    let scenarios = scenarios(text);
    let mut passed = scenarios.iter().filter(|scenario| scenario.is_passed).count();
    let mut lines = Vec::new();
    let mut is_good = !scenarios.is_empty();
    for Scenario { name, is_passed } in &scenarios {
        let reason = expected.failures.iter().find(|(known, _)| known == name).map(|(_, reason)| *reason);
        match (is_passed, reason) {
            (true, None) => {}
            (false, Some(reason)) => lines.push(format!("not passed, as expected: {name}: {reason}")),
            (false, None) if alone(name) => {
                passed += 1;
                lines.push(format!("passed alone, and not beside the others: {mode}: {name}"));
            }
            (false, None) => {
                is_good = false;
                lines.push(format!("failed: {mode}: {name}"));
            }
            (true, Some(_)) => {
                is_good = false;
                lines.push(format!("failed: {mode}: {name} passes; take it off the list"));
            }
        }
    }
    if passed < expected.floor {
        is_good = false;
        lines.push(format!("failed: {mode}: {passed} scenarios pass, at least {} must", expected.floor));
    }
    lines.insert(0, format!("corpus: MCP conformance, {mode}: {passed} of {}", scenarios.len()));
    let note = format!("conformance, {mode}: {passed} of {}", scenarios.len());
    Outcome { note, lines, ..Outcome::from_success(is_good) }
}

/// Parses the scenarios in the suite's summary.
fn scenarios(text: &str) -> Vec<Scenario> {
    let summary = text.split_once("SUMMARY").map_or("", |(_, summary)| summary);
    let read = |line: &str| {
        let is_passed = line.starts_with('✓');
        let rest = line.strip_prefix('✓').or_else(|| line.strip_prefix('✗'))?;
        let (name, _) = rest.trim().split_once(": ")?;
        Some(Scenario { name: name.to_owned(), is_passed })
    };
    summary.lines().filter_map(read).collect()
}

/// A running server of the project, which is killed when this value is dropped.
struct RunningServer {
    child: Child,
    url: String,
}

impl RunningServer {
    /// Starts the server, and reads its URL from its first line.
    fn start(program: &Path) -> Result<Self> {
        let mut child = Command::new(program).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().context("the server has no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let told: Value =
            serde_json::from_str(&line).with_context(|| format!("the server printed {line:?}"))?;
        let url = told["url"].as_str().context("the server does not print its address")?.to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::{Expectation, StepStatus, compare, scenarios};

    const TEXT: &str =
        "✓ not yet: 1\n=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n✗ a/b: 0 passed, 1 failed\n\nTotal: 1";

    #[test]
    fn scenarios_are_read_from_the_summary_only() {
        let read: Vec<_> = scenarios(TEXT).into_iter().map(|one| (one.name, one.is_passed)).collect();
        assert_eq!(read, [("ping".to_owned(), true), ("a/b".to_owned(), false)]);
    }

    #[test]
    fn only_expected_failures_may_fail() {
        let status = |text, floor, failures| compare("x", text, Expectation { floor, failures }).status;
        assert!(status(TEXT, 1, &[("a/b", "why")]) == StepStatus::Passed);
        assert!(status(TEXT, 1, &[]) == StepStatus::Failed);
        assert!(status(TEXT, 1, &[("a/b", "why"), ("ping", "why")]) == StepStatus::Failed);
        assert!(status("", 0, &[]) == StepStatus::Failed);
    }

    #[test]
    fn the_number_of_passed_scenarios_never_falls() {
        let expected = Expectation { floor: 2, failures: &[("a/b", "why")] };
        assert!(compare("x", TEXT, expected).status == StepStatus::Failed);
    }
}
