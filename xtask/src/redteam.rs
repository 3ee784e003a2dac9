//! `cargo xtask redteam`: the catalogues of attacks and faults, run as they are against what is built here.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Cmd, Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{Outcome, Verdict};

pub(crate) const HELP: &str = "\
cargo xtask redteam [--file FILE] [--faults FILE] [--only ID,..] [--mode MODE] [--jobs N] [--json]

Runs attacks and faults against the crates and the program, and counts what is accepted.

FILE is a catalogue of attacks, or one of faults; another one of the same form runs as well. Without
both, the shared ones are run: ../shared/attacks from the project's root, or $WINDLASS_ATTACKS.

Each case has a process, a workspace and a home of its own, and a time limit. A fault is shown by tests
of the workspace, which are really run. Every failure has a line: what was accepted, what was observed
and why it is not enough; so has every case that could not be run. A skipped case is not a passed one.
The last line is `N passed, N failed, N skipped`; the exit code is 1 if any failed.

  --only ID,..   only these ids, or those that begin so: `--only SHL,CTL-001`
  --mode MODE    only cases of one mode: decide, execute or prompt
  --jobs N       how many cases run beside each other; as many as there are processors
  --json         a line of JSON for each case, and one for the sums

For example, the controls, which must not be refused: `cargo xtask redteam --only CTL`";

const PACKAGE: &str = "windlass-redteam";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let mut words = Vec::new();
    let mut named = Vec::new();
    for name in ["--file", "--faults"] {
        if let Some(file) = arguments.option(name)? {
            named.extend([name.to_owned(), file]);
        }
    }
    for name in ["--only", "--mode", "--jobs"] {
        if let Some(value) = arguments.option(name)? {
            words.extend([name.to_owned(), value]);
        }
    }
    if arguments.flag("--json") {
        words.push("--json".to_owned());
    }
    arguments.finish()?;
    if named.is_empty() {
        let Some(folder) = folder(sh) else {
            bail!("no catalogues at ../shared/attacks; WINDLASS_ATTACKS may name their folder");
        };
        named = shared(&folder);
    }
    let outcome = start(sh, &named, &words)?;
    Ok(outcome.exit_code())
}

/// Where the shared catalogues are, if they are.
fn folder(sh: &Shell) -> Option<PathBuf> {
    let named = sh.var_os("WINDLASS_ATTACKS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| sh.current_dir().join("../shared/attacks"));
    folder.is_dir().then_some(folder)
}

fn shared(folder: &std::path::Path) -> Vec<String> {
    let path = |name: &str| folder.join(name).display().to_string();
    vec!["--file".to_owned(), path("attacks.json"), "--faults".to_owned(), path("faults.json")]
}

/// The attacks alone, as a step of `ci`: the tests that show the faults are run by another step.
pub(crate) fn attacks(sh: &Shell) -> Result<Outcome> {
    let Some(folder) = folder(sh) else {
        return Ok(Outcome::new(Verdict::Skipped, "no catalogue at ../shared/attacks"));
    };
    let file = folder.join("attacks.json").display().to_string();
    let harness = harness(sh, &["--file".to_owned(), file], &[])?;
    let captured = capture::run(harness, Keep::Stdout, |_| false)?;
    let is_told = |line: &&String| line.starts_with("FAILED") || line.starts_with("skipped");
    let lines = captured.lines.iter().filter(is_told).cloned().collect();
    let note = captured.lines.last().cloned().unwrap_or_default();
    Ok(Outcome { note, lines, ..Outcome::from_success(captured.success) })
}

fn start(sh: &Shell, named: &[String], words: &[String]) -> Result<Outcome> {
    let run = harness(sh, named, words)?;
    Ok(Outcome::from_success(capture::pass_through(run)?))
}

/// Builds the program and the harness. Its throw-away folders lie in the build's folder: what lies in the system's
/// temporary one could be hidden by a sandbox, and an escape would not be seen.
fn harness<'a>(sh: &'a Shell, named: &[String], words: &[String]) -> Result<Cmd<'a>> {
    let built = cmd!(sh, "cargo build --quiet -p {PACKAGE} -p windlass-cli -p windlass-sandbox --bins");
    if !capture::pass_through(built)? {
        bail!("the harness cannot be built");
    }
    let target = sh.var_os("CARGO_TARGET_DIR").map_or_else(|| sh.current_dir().join("target"), PathBuf::from);
    let (program, scratch) = (target.join("debug/windlass"), target.join("redteam"));
    let harness = target.join("debug/windlass-redteam");
    // Places of failed cases are kept until the next run.
    sh.remove_path(&scratch)?;
    Ok(cmd!(sh, "{harness} {named...} {words...} --program {program} --scratch {scratch}"))
}
