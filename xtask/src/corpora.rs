//! `cargo xtask corpora`: runs the tests over real recordings and shows how many cases agreed.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{Outcome, Verdict};

pub(crate) const HELP: &str = "\
cargo xtask corpora

Runs the tests over the recorded corpora and prints how many cases of each agreed.

The corpora lie at ../shared/corpora from the project's root, or at $WINDLASS_CORPORA. Such a
test has `corpus` in its name and prints a line `corpus: NAME: N of M ..`.";

pub(crate) fn run(sh: &Shell, arguments: Arguments) -> Result<ExitCode> {
    arguments.finish()?;
    let outcome = test(sh)?;
    Ok(outcome.exit_code())
}

/// Where the corpora are, if they are.
pub(crate) fn folder(sh: &Shell) -> Option<PathBuf> {
    let named = sh.var_os("WINDLASS_CORPORA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| sh.current_dir().join("../shared/corpora"));
    folder.is_dir().then_some(folder)
}

/// Runs the corpus tests and keeps their `corpus:` and `skipped:` lines.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    if folder(sh).is_none() {
        let note = "no corpora at ../shared/corpora; WINDLASS_CORPORA may name their folder";
        return Ok(Outcome::new(Verdict::Skipped, note));
    }
    let test = cmd!(sh, "cargo test --workspace --tests --no-fail-fast corpus -- --show-output");
    let captured = capture::run(test, Keep::Stdout, |_| false)?;
    if !captured.success {
        captured.print();
        return Ok(Outcome::new(Verdict::Failed, "a corpus test failed"));
    }
    let told = |word: &str| captured.lines.iter().filter(|line| line.starts_with(word)).count();
    let (figures, skipped) = (told("corpus:"), told("skipped:"));
    let is_told = |line: &&String| line.starts_with("corpus:") || line.starts_with("skipped:");
    let lines = captured.lines.iter().filter(is_told).cloned().collect();
    if figures == 0 {
        return Ok(Outcome::new(Verdict::Skipped, "no test printed a `corpus:` line").with_lines(lines));
    }
    Ok(Outcome::new(Verdict::Passed, format!("{figures} figures, {skipped} skipped")).with_lines(lines))
}
