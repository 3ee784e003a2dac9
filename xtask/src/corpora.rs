//! `cargo xtask corpora`: runs the tests on real recordings and prints the number of cases that agree.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{OFF_BY_DEFAULT, Outcome, StepStatus, libtest};
use crate::needs;

pub(crate) const HELP: &str = "\
cargo xtask corpora

Runs the tests over the recorded corpora and prints how many cases of each agreed.

The corpora are at ../shared/corpora from the project's root, or at $WINDLASS_CORPORA. Such a
test has `corpus` in its name and prints a line `corpus: NAME: N of M ..`.";

pub(crate) fn run(sh: &Shell, arguments: Arguments) -> Result<ExitCode> {
    arguments.finish()?;
    let outcome = test(sh)?;
    Ok(outcome.exit_code())
}

/// Returns the folder of the corpora, if it exists.
pub(crate) fn folder(sh: &Shell) -> Option<PathBuf> {
    let named = sh.var_os("WINDLASS_CORPORA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| sh.current_dir().join("../shared/corpora"));
    folder.is_dir().then_some(folder)
}

/// Runs the corpus tests and collects their `corpus:` and `skipped:` lines. Without corpora each test reports
/// that it was skipped.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    let test = cmd!(
        sh,
        "cargo test --locked --workspace --tests --features {OFF_BY_DEFAULT} --no-fail-fast corpus -- --show-output"
    )
    .env(needs::STRICT, needs::strict(sh));
    let captured = capture::run(test, Keep::Stdout, |_| false)?;
    let lines = libtest::summary_lines(&captured.lines);
    let count = |word: &str| captured.lines.iter().filter(|line| line.starts_with(word)).count();
    let (figures, skipped) = (count("corpus:"), count("skipped:"));
    let (status, note) = if !captured.success {
        libtest::print_failures(&captured.lines);
        (StepStatus::Failed, "a corpus test failed".to_owned())
    } else if folder(sh).is_none() {
        (
            StepStatus::Skipped,
            "no corpora at ../shared/corpora; WINDLASS_CORPORA may name their folder".to_owned(),
        )
    } else if figures == 0 {
        (StepStatus::Skipped, "no test printed a `corpus:` line".to_owned())
    } else {
        (StepStatus::Passed, format!("figures: {figures}, skipped: {skipped}"))
    };
    Ok(Outcome { status, note, lines })
}
