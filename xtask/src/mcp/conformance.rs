//! Runs the published conformance suite against the project's server and client.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::expected::{CLIENT, Expected, SERVER};
use super::install::InstalledServers;
use crate::capture;
use crate::ci::{OFF_BY_DEFAULT, Outcome, StepStatus};
use crate::project::target;

/// Settings with tools of the names that the suite calls, and a policy that allows them.
const SETTINGS: &str = "xtask/mcp/settings";
/// The source of the conformance client.
const CLIENT_SOURCE: &str = "crates/mcp/examples/conformance_client.rs";

/// One scenario in the suite's summary.
#[derive(Debug, PartialEq, Eq)]
struct Scenario {
    name: String,
    is_passed: bool,
}

/// Runs the suite for the server and for the client, with separate counts.
pub(super) fn both(sh: &Shell, installed: &InstalledServers) -> Result<Vec<Outcome>> {
    let Some(node) = &installed.node else {
        return Ok(vec![Outcome::new(StepStatus::Skipped, "there is no suite")]);
    };
    Ok(vec![server(sh, node, installed)?, client(sh, node, installed)?])
}

fn server(sh: &Shell, node: &Path, installed: &InstalledServers) -> Result<Outcome> {
    if !capture::pass_through(cmd!(sh, "cargo build --locked --quiet -p windlass-cli"))? {
        return Ok(Outcome::new(StepStatus::Failed, "the command line does not build"));
    }
    let place = installed.home.join("served");
    sh.remove_path(&place)?;
    sh.create_dir(&place)?;
    let program = target(sh).join("debug/windlass");
    let served = RunningServer::start(&program, &sh.current_dir().join(SETTINGS), &place)?;
    let (suite, url, out) = (installed.suite(), &served.url, place.join("results"));
    let run = cmd!(sh, "{node} {suite} server --url {url} --suite all -o {out}");
    Ok(compare("server mode", &run.quiet().ignore_status().ignore_stderr().read()?, SERVER))
}

fn client(sh: &Shell, node: &Path, installed: &InstalledServers) -> Result<Outcome> {
    if !sh.path_exists(CLIENT_SOURCE) {
        return Ok(Outcome::new(StepStatus::Skipped, format!("there is no {CLIENT_SOURCE}")));
    }
    if !capture::pass_through(cmd!(
        sh,
        "cargo build --locked --quiet --workspace --features {OFF_BY_DEFAULT} --example conformance_client"
    ))? {
        return Ok(Outcome::new(StepStatus::Failed, "the client for the suite does not build"));
    }
    let (suite, out) = (installed.suite(), installed.home.join("client-results"));
    sh.remove_path(&out)?;
    let program = target(sh).join("debug/examples/conformance_client");
    let (suite, program, out) = (&suite, &program, &out);
    let run = cmd!(sh, "{node} {suite} client --command {program} --suite all -o {out}");
    let text = run.quiet().ignore_status().ignore_stderr().read()?;
    // The suite runs all scenarios at once with the same timeout, so one may time out on a busy machine. A
    // late scenario is reported.
    let alone = |name: &str| {
        let run = cmd!(sh, "{node} {suite} client --command {program} --scenario {name} -o {out}");
        run.quiet().ignore_stdout().ignore_stderr().run().is_ok()
    };
    Ok(compare_with_retries("client mode", &text, CLIENT, alone))
}

fn compare(mode: &str, text: &str, expected: Expected) -> Outcome {
    compare_with_retries(mode, text, expected, |_| false)
}

/// Compares the failed scenarios with the expected failures. An unexpected failure is retried alone.
fn compare_with_retries(mode: &str, text: &str, expected: Expected, alone: impl Fn(&str) -> bool) -> Outcome {
    let scenarios = scenarios(text);
    let passed = scenarios.iter().filter(|scenario| scenario.is_passed).count();
    let mut lines = vec![format!("corpus: MCP conformance, {mode}: {passed} of {}", scenarios.len())];
    let mut is_good = !scenarios.is_empty();
    for Scenario { name, is_passed } in &scenarios {
        let reason = expected.iter().find(|(known, _)| known == name).map(|(_, reason)| *reason);
        match (is_passed, reason) {
            (true, None) => {}
            (false, Some(reason)) => lines.push(format!("not passed, as expected: {name}: {reason}")),
            (false, None) if alone(name) => {
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
    /// Starts the server in its own folder, without the user's environment.
    fn start(program: &Path, settings: &PathBuf, place: &Path) -> Result<Self> {
        let work = place.join("work");
        std::fs::create_dir_all(&work)?;
        let mut child = Command::new(program)
            .args([
                "mcp",
                "serve",
                "--http",
                "127.0.0.1:0",
                "--no-token",
                "--preset",
                "minimal",
                "--json",
                "--root",
            ])
            .arg(&work)
            .env("WINDLASS_CONFIG_DIR", settings)
            .env("WINDLASS_STATE_DIR", place.join("state"))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().context("the server has no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line).with_context(|| format!("the server said {line:?}"))?;
        let url = told["url"].as_str().context("the server does not say where it listens")?.to_owned();
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
    use super::{StepStatus, compare, scenarios};

    const TEXT: &str =
        "✓ not yet: 1\n=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n✗ a/b: 0 passed, 1 failed\n\nTotal: 1";

    #[test]
    fn scenarios_are_read_from_the_summary_only() {
        let read: Vec<_> = scenarios(TEXT).into_iter().map(|one| (one.name, one.is_passed)).collect();
        assert_eq!(read, [("ping".to_owned(), true), ("a/b".to_owned(), false)]);
    }

    #[test]
    fn only_expected_failures_may_fail() {
        assert!(compare("x", TEXT, &[("a/b", "why")]).status == StepStatus::Passed);
        assert!(compare("x", TEXT, &[]).status == StepStatus::Failed);
        assert!(compare("x", TEXT, &[("a/b", "why"), ("ping", "why")]).status == StepStatus::Failed);
        assert!(compare("x", "", &[]).status == StepStatus::Failed);
    }
}
