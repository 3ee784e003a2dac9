//! The steps of `ci`.

use std::time::Duration;

use anyhow::Result;
use xshell::cmd;

use super::libtest::{self, TestCounts};
use super::{OFF_BY_DEFAULT, Outcome, Setting, StepStatus, disk};
use crate::capture::{self, Keep};
use crate::install::{self, Tool};
use crate::project::Package;
use crate::{bench, corpora, fetch, fuzz, mcp, needs, redteam, sdk, temporal, tidy};

/// Fuzzing starts only within this time of the run, so that a slow machine skips it and keeps the rest.
const FUZZ_STARTS_BEFORE: Duration = Duration::from_hours(1);
/// What the builds of all fuzz targets need, and what must be left for the steps beside them.
const FUZZ_GIGABYTES: u64 = 8;
const FUZZ_SECONDS: u64 = 5;

/// Runs first, because every later step reads packages that a fresh machine does not have.
pub(super) fn fetch(setting: &Setting<'_>) -> Result<Outcome> {
    fetch::all(setting.sh)
}

pub(super) fn fmt(setting: &Setting<'_>) -> Result<Outcome> {
    Ok(Outcome::from_success(capture::pass_through(cmd!(setting.sh, "cargo fmt --all --check"))?))
}

pub(super) fn tidy(setting: &Setting<'_>) -> Result<Outcome> {
    let found = tidy::findings(setting.sh)?;
    found.print();
    let note = format!("errors: {}, warnings: {}", found.errors.len(), found.warnings.len());
    Ok(Outcome { note, ..Outcome::from_success(found.errors.is_empty()) })
}

/// Runs offline, with the lock file and the manifests that `fetch` downloaded. Advisories need an external
/// database and are not checked.
pub(super) fn deny(setting: &Setting<'_>) -> Result<Outcome> {
    let deny = match install::ensure(setting.sh, install::DENY)? {
        Tool::Ready(deny) => deny,
        Tool::Missing { how_to } => return Ok(Outcome::new(StepStatus::Skipped, how_to)),
    };
    let words = ["--locked", "--offline", "--log-level", "error", "check", "bans", "licenses", "sources"];
    let check = deny.call(setting.sh).args(words);
    Ok(Outcome::from_success(capture::pass_through(check)?))
}

pub(super) fn clippy(setting: &Setting<'_>) -> Result<Outcome> {
    let clippy = cmd!(
        setting.sh,
        "cargo clippy --locked --workspace --all-targets --features {OFF_BY_DEFAULT} -- -D warnings"
    );
    Ok(Outcome::from_success(capture::pass_through(clippy)?))
}

/// Checks each crate alone, without features and with each of its features alone, because in a workspace build a
/// crate can use what only another crate or another feature enables.
pub(super) fn each_crate_alone(setting: &Setting<'_>) -> Result<Outcome> {
    let mut broken = Vec::new();
    let mut crates: usize = 0;
    let mut features: usize = 0;
    for package in setting.project.crates().filter(|package| package.has_library) {
        let name = &package.name;
        crates = crates.saturating_add(1);
        if !capture::pass_through(cmd!(setting.sh, "cargo check --locked --quiet -p {name}"))? {
            broken.push(name.clone());
        }
        for feature in lone_features(package) {
            features = features.saturating_add(1);
            let check = cmd!(
                setting.sh,
                "cargo check --locked --quiet -p {name} --no-default-features --features {feature}"
            );
            if !capture::pass_through(check)? {
                broken.push(format!("{name} with `{feature}`"));
            }
        }
    }
    if broken.is_empty() {
        return Ok(Outcome::new(
            StepStatus::Passed,
            format!("{crates} crates, and {features} sets of features"),
        ));
    }
    Ok(Outcome::new(StepStatus::Failed, format!("alone fails: {}", broken.join(", "))))
}

/// Returns the features that a crate is checked with, one at a time; the empty name means none of them.
fn lone_features(package: &Package) -> Vec<&str> {
    let features = package.features.iter().map(String::as_str).filter(|feature| *feature != "default");
    if package.features.is_empty() { Vec::new() } else { std::iter::once("").chain(features).collect() }
}

/// Documents libraries only: the facade and the command-line program have the same name, and the internals of
/// a program need no documentation.
pub(super) fn doc(setting: &Setting<'_>) -> Result<Outcome> {
    let doc =
        cmd!(setting.sh, "cargo doc --locked --workspace --no-deps --lib").env("RUSTDOCFLAGS", "-D warnings");
    Ok(Outcome::from_success(capture::pass_through(doc)?))
}

/// Runs all tests and documentation examples except the corpus tests, which the next step runs. A case that
/// is skipped because of a need counts as a failure if this machine fulfils the need.
pub(super) fn test(setting: &Setting<'_>) -> Result<Outcome> {
    let strict = needs::strict(setting.sh);
    println!("{}={strict}", needs::STRICT);
    let test = cmd!(
        setting.sh,
        "cargo test --locked --workspace --features {OFF_BY_DEFAULT} --no-fail-fast -- --show-output --skip corpus"
    )
    .env(needs::STRICT, strict);
    let captured = capture::run(test, Keep::Stdout, |line| line.starts_with("test result:"))?;
    if !captured.success {
        libtest::print_failures(&captured.lines);
    }
    let note = TestCounts::parse(&captured.lines).to_string();
    let lines = libtest::summary_lines(&captured.lines);
    Ok(Outcome { note, lines, ..Outcome::from_success(captured.success) })
}

pub(super) fn corpora(setting: &Setting<'_>) -> Result<Outcome> {
    corpora::test(setting.sh)
}

/// Tests the providers' official libraries as clients, if Python is installed.
pub(super) fn sdk(setting: &Setting<'_>) -> Result<Outcome> {
    sdk::test(setting.sh)
}

/// Tests third-party MCP servers and the conformance suite, if npm and Python are installed.
pub(super) fn mcp(setting: &Setting<'_>) -> Result<Outcome> {
    mcp::test(setting.sh)
}

/// Tests the durable engine with a real server, if the pinned server can be installed.
pub(super) fn temporal(setting: &Setting<'_>) -> Result<Outcome> {
    temporal::test(setting.sh)
}

/// Kills and resumes runs.
pub(super) fn crashes(setting: &Setting<'_>) -> Result<Outcome> {
    redteam::crashes(setting.sh)
}

/// Runs the catalogue of attacks and controls, if it is available.
pub(super) fn attacks(setting: &Setting<'_>) -> Result<Outcome> {
    redteam::attacks(setting.sh)
}

pub(super) fn bench_smoke(setting: &Setting<'_>) -> Result<Outcome> {
    bench::smoke(setting.sh, setting.project, None)
}

pub(super) fn fuzz_smoke(setting: &Setting<'_>) -> Result<Outcome> {
    if setting.elapsed() > FUZZ_STARTS_BEFORE {
        return Ok(Outcome::new(StepStatus::Skipped, "no time left: run `cargo xtask fuzz`"));
    }
    if let Some(free) = disk::free_gigabytes(setting.sh).filter(|&free| free < FUZZ_GIGABYTES) {
        let note = format!("{free} of {FUZZ_GIGABYTES} GB of disk are free: run `cargo xtask fuzz`");
        return Ok(Outcome::new(StepStatus::Skipped, note));
    }
    fuzz::smoke(setting.sh, FUZZ_SECONDS)
}
