//! `cargo xtask mcp`: tests third-party MCP servers and runs the published conformance suite.

mod conformance;
mod expected;
mod install;

use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{OFF_BY_DEFAULT, Outcome, libtest};
use crate::needs;
use install::InstalledServers;

pub(crate) const HELP: &str = "\
cargo xtask mcp [--install] [--servers] [--conformance]

Uses real MCP servers, and runs the conformance suites against our server and client.

The suites are the published one and the next one, with the scenarios of 2026-07-28.

The servers (npm: everything, filesystem, memory; Python: git, time, fetch) and the suite are installed
once into the target folder; a program that cannot be installed is skipped with a line. Without an option everything runs.

  --install      installs, and runs nothing
  --servers      runs the tests with the servers only
  --conformance  runs the suite only: N of M scenarios for each side, those that fail named";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let (install, servers, suite) =
        (arguments.flag("--install"), arguments.flag("--servers"), arguments.flag("--conformance"));
    arguments.finish()?;
    if install {
        let installed = install::ensure(sh)?;
        for why in &installed.missing {
            println!("skipped: {why}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let is_all = !servers && !suite;
    Ok(outcome(sh, servers || is_all, suite || is_all)?.exit_code())
}

/// Runs everything, as a step of `ci`.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    outcome(sh, true, true)
}

/// Runs the tests with the servers.
pub(crate) fn with_installed_servers(sh: &Shell) -> Result<Outcome> {
    outcome(sh, true, false)
}

fn outcome(sh: &Shell, servers: bool, suite: bool) -> Result<Outcome> {
    let installed = install::ensure(sh)?;
    let mut lines: Vec<String> = installed.missing.iter().map(|why| format!("skipped: {why}")).collect();
    let mut outcomes = Vec::new();
    if servers {
        outcomes.push(with_servers(sh, &installed)?);
    }
    if suite {
        outcomes.extend(conformance::both(sh, &installed)?);
    }
    let Outcome { status, note, lines: more } = Outcome::join(outcomes);
    lines.extend(more);
    Ok(Outcome { status, note, lines })
}

/// Runs the tests that start the servers. Each test reports the parts that it had to skip.
fn with_servers(sh: &Shell, installed: &InstalledServers) -> Result<Outcome> {
    let home = &installed.home;
    let met = if installed.missing.is_empty() { "mcp-servers" } else { "" };
    let strict = sh.var(needs::STRICT).unwrap_or_else(|_| met.to_owned());
    // Enable the features of the other steps, so that nothing is built twice.
    let test = cmd!(
        sh,
        "cargo test --locked --workspace --features {OFF_BY_DEFAULT} --test real_servers -- --show-output"
    )
    .env(install::HOME, home)
    .env(needs::STRICT, strict);
    let captured = capture::run(test, Keep::Stdout, |line| line.starts_with("test result:"))?;
    if !captured.success {
        libtest::print_failures(&captured.lines);
    }
    let lines = libtest::summary_lines(&captured.lines);
    let counts = libtest::TestCounts::parse(&captured.lines);
    Ok(Outcome { note: format!("real servers: {counts}"), lines, ..Outcome::from_success(captured.success) })
}
