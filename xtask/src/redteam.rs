//! `cargo xtask redteam`: runs the catalogues of attacks and faults against the local build.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Cmd, Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::Outcome;
use crate::project::target;

pub(crate) const HELP: &str = "\
cargo xtask redteam [--file FILE] [--faults FILE] [--only ID,..] [--mode MODE] [--jobs N] [--json]

Runs attacks and faults against the crates and the program, and counts the accepted ones.

FILE is a catalogue of attacks, or one of faults; another one of the same form runs as well. Without
both, redteam/attacks.json and the shared ones are run: ../shared/attacks from the project's root, or
$WINDLASS_ATTACKS.

Each case has a process, a workspace and a home of its own, and a time limit. A fault is shown by tests
of the workspace, which are built first (at most 2 hours) and then run (at most 30 minutes). A test failed,
did not build, timed out or does not exist: the line names the cause, with the last lines of output. Every
failure has a line with the accepted outcomes, the observed one and the difference; so has every case that
could not be run. A skipped case is not a passed one.
The last line is `N passed, N failed, N skipped`; the exit code is 1 if any failed.

  --only ID,..   only these ids, or those that begin so: `--only SHL,CTL-001`
  --mode MODE    only cases of one mode: decide, execute or prompt
  --jobs N       how many cases run beside each other; as many as there are processors
  --json         a line of JSON for each case, and one for the sums

For example, the controls, which must not be refused: `cargo xtask redteam --only CTL`";

pub(crate) const CRASH_HELP: &str = "\
cargo xtask crash [--kills N] [--seed S] [--only POINT] | --cancel [--every N] | --conform

Kills runs of an agent at every named point and at random moments, resumes them, and counts problems.

A run edits files, patches two at once, makes marks outside and runs commands. It is killed (SIGKILL) before,
after and in the middle of each kind of record, before and after each tool has done its work, and N times at
any moment. Then it is resumed to its end. No acknowledged record may be lost; each change of a file is
made exactly once; marks and commands at most once, and once if their result claims success; every request is
paired; every run comes to its end. A violation is printed with the folder of its run.

  --kills N      how many kills at random moments (500)
  --seed S       the seed of the moments; without it each run draws and prints another one
  --cancel       instead, cancels a run, and drops one, at each moment at which it is polled: every call has its
                 one result, and no process and no descriptor is left
  --every N      with --cancel: only every N-th moment (1)
  --conform      instead, runs testkit's conformance kit for durable drivers against real processes
  --only POINT   only the named points that begin so: `--only torn`, `--only ends:edit_file`

For example: `cargo xtask crash --kills 50`";

/// Number of kills at random moments in `ci`.
const CI_KILLS: &str = "60";

const OWN_ATTACKS: &str = "redteam/attacks.json";
const PACKAGE: &str = "windlass-redteam";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let mut words = Vec::new();
    let mut named = Vec::new();
    for name in ["--file", "--faults"] {
        while let Some(file) = arguments.option(name)? {
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
        named = own();
        match folder(sh) {
            Some(folder) => named.extend(shared(&folder)),
            None => println!(
                "skipped: no catalogues at ../shared/attacks; WINDLASS_ATTACKS may name their folder"
            ),
        }
    }
    let outcome = start(sh, &named, &words)?;
    Ok(outcome.exit_code())
}

/// Returns the folder of the shared catalogues, if it exists.
pub(crate) fn folder(sh: &Shell) -> Option<PathBuf> {
    let named = sh.var_os("WINDLASS_ATTACKS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| sh.current_dir().join("../shared/attacks"));
    folder.is_dir().then_some(folder)
}

/// Returns the arguments for the project's own cases: reproductions of audit findings, in the format of the
/// shared catalogue.
fn own() -> Vec<String> {
    vec!["--file".to_owned(), OWN_ATTACKS.to_owned()]
}

fn shared(folder: &std::path::Path) -> Vec<String> {
    let path = |name: &str| folder.join(name).display().to_string();
    vec!["--file".to_owned(), path("attacks.json"), "--faults".to_owned(), path("faults.json")]
}

/// Runs the attacks as a step of `ci`. Another step runs the tests that demonstrate the faults.
pub(crate) fn attacks(sh: &Shell) -> Result<Outcome> {
    let mut named = own();
    let mut lines = Vec::new();
    match folder(sh) {
        Some(folder) => {
            named.extend(["--file".to_owned(), folder.join("attacks.json").display().to_string()]);
        }
        None => lines.push("skipped: the shared catalogue is missing at ../shared/attacks".to_owned()),
    }
    let captured = capture::run(harness(sh, &named, &[])?, Keep::Stdout, |_| false)?;
    let is_told = |line: &&String| line.starts_with("FAILED") || line.starts_with("skipped");
    lines.extend(captured.lines.iter().filter(is_told).cloned());
    let note = captured.lines.last().cloned().unwrap_or_default();
    Ok(Outcome { note, lines, ..Outcome::from_success(captured.success) })
}

fn start(sh: &Shell, named: &[String], words: &[String]) -> Result<Outcome> {
    let run = harness(sh, named, words)?;
    Ok(Outcome::from_success(capture::pass_through(run)?))
}

/// `cargo xtask crash`: kills and resumes runs.
pub(crate) fn crash(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let (command, options): (_, &[&str]) = if arguments.flag("--cancel") {
        ("cancel", &["--every"])
    } else if arguments.flag("--conform") {
        ("conform", &[])
    } else {
        ("crash", &["--kills", "--seed", "--only"])
    };
    let mut words = vec![command.to_owned()];
    for name in options.iter().copied() {
        if let Some(value) = arguments.option(name)? {
            words.extend([name.to_owned(), value]);
        }
    }
    arguments.finish()?;
    Ok(Outcome::from_success(capture::pass_through(bare(sh, &words)?)?).exit_code())
}

/// Runs few kills and the conformance suite, as a step of `ci`.
pub(crate) fn crashes(sh: &Shell) -> Result<Outcome> {
    let words = ["crash", "--kills", CI_KILLS].map(str::to_owned);
    let killed = capture::run(bare(sh, &words)?, Keep::Stdout, |_| false)?;
    let conforms = capture::run(bare(sh, &["conform".to_owned()])?, Keep::Stdout, |_| false)?;
    let all = || killed.lines.iter().chain(&conforms.lines);
    let lines = all().filter(|line| line.starts_with("FAILED")).cloned().collect();
    let last = |lines: &[String]| lines.last().cloned().unwrap_or_default();
    let note = format!("{}; {}", last(&killed.lines), last(&conforms.lines));
    Ok(Outcome { note, lines, ..Outcome::from_success(killed.success && conforms.success) })
}

/// Builds the program and the harness. The temporary folders are in the build folder, because a sandbox could
/// hide the system's temporary folder, and an escape would then go unnoticed.
fn harness<'a>(sh: &'a Shell, named: &[String], words: &[String]) -> Result<Cmd<'a>> {
    let target = target(sh);
    let program = target.join("debug/windlass");
    Ok(bare(sh, named)?.args(words).arg("--program").arg(program))
}

fn bare<'a>(sh: &'a Shell, words: &[String]) -> Result<Cmd<'a>> {
    let built =
        cmd!(sh, "cargo build --locked --quiet -p {PACKAGE} -p windlass-cli -p windlass-sandbox --bins");
    if !capture::pass_through(built)? {
        bail!("the harness cannot be built");
    }
    let target = target(sh);
    let (harness, scratch) = (target.join("debug/windlass-redteam"), target.join("redteam"));
    // The folders of failed cases are kept until the next run.
    sh.remove_path(&scratch)?;
    Ok(cmd!(sh, "{harness} {words...} --scratch {scratch}"))
}
