//! `cargo xtask bench growth`: runs the growth tests of parsers in a release build.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture;
use crate::ci::Outcome;

/// The beginnings of the names of growth tests.
const FILTERS: [&str; 2] = ["growth::", "linear_time"];

pub(super) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let only = arguments.word();
    arguments.finish()?;
    let files = cmd!(sh, "git grep -l windlass_testkit::growth -- crates").read()?;
    let crates: BTreeSet<&str> = files.lines().filter_map(|file| file.split('/').nth(1)).collect();
    let is_chosen = |name: &&str| only.as_ref().is_none_or(|only| only == name);
    let packages: Vec<String> =
        crates.into_iter().filter(is_chosen).map(|name| format!("--package=windlass-{name}")).collect();
    ensure!(!packages.is_empty(), "the crate has no growth tests");
    // Concurrent tests would compete for the machine's caches and memory.
    let words = ["--nocapture", "--test-threads=1"];
    let run = cmd!(
        sh,
        "cargo test --release --locked --no-fail-fast {packages...} --lib --tests -- {FILTERS...} {words...}"
    );
    Ok(Outcome::from_success(capture::pass_through(run)?).exit_code())
}
