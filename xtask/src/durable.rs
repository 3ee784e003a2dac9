//! `cargo xtask durable`: runs the conformance kit for durable drivers over several stores, and checks fencing.

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture;
use crate::ci::Outcome;
use crate::project::target;

pub(crate) const HELP: &str = "\
cargo xtask durable [--over STORE,..] | --fence ROUNDS [--over STORE,..] [--seed N]

Runs testkit's conformance kit for durable drivers over memory, a folder, SQLite and PostgreSQL.

Real processes share a store and kill themselves at every point; others claim the run and resume it. Memory
ends with its process, so the deaths over memory are simulated in one process. The PostgreSQL server is
started in a temporary folder with a Unix socket; without its programs (Debian: postgresql) the store is
skipped with a line, unless WINDLASS_STRICT names `postgres`. The last line is `N passed, N failed`.

  --over STORE,..  only these: memory, folder, sqlite, postgres
  --fence ROUNDS   instead, over SQLite and PostgreSQL: stops the owner of a run (SIGSTOP) past its lease, takes
                   the run over, wakes the first owner, and checks that its write is refused and no effect is
                   doubled
  --seed N         with --fence: the seed of the moments (1)

For example: `cargo xtask durable --over memory,folder,sqlite,postgres`";

const FEATURES: &str = "windlass-redteam/databases";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let mut words = match arguments.option("--fence")? {
        Some(rounds) => vec!["fence".to_owned(), "--rounds".to_owned(), rounds],
        None => vec!["durable".to_owned()],
    };
    for name in ["--over", "--seed"] {
        if let Some(value) = arguments.option(name)? {
            words.extend([name.to_owned(), value]);
        }
    }
    arguments.finish()?;
    let built = cmd!(sh, "cargo build --locked --quiet -p windlass-redteam --features {FEATURES} --bins");
    if !capture::pass_through(built)? {
        bail!("the harness cannot be built");
    }
    let target = target(sh);
    let (harness, scratch) = (target.join("debug/windlass-redteam"), target.join("durable"));
    sh.remove_path(&scratch)?;
    let harness = cmd!(sh, "{harness} {words...} --scratch {scratch}");
    Ok(Outcome::from_success(capture::pass_through(harness)?).exit_code())
}
