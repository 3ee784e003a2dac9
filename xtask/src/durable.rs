//! `cargo xtask durable`: runs the conformance kit for durable drivers over several stores, and checks fencing.

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture;
use crate::ci::Outcome;
use crate::project::target;

pub(crate) const HELP: &str = "\
cargo xtask durable [--over STORE,..] [--kills N | --fence ROUNDS | --cost RECORDS |
                     --outages RUNS | --suspended RUNS] [--seed N]

Runs testkit's conformance kit for durable drivers over memory, a folder, SQLite and PostgreSQL.

Real processes share a store and kill themselves at every point; others claim the run and resume it. Memory
ends with its process, so the deaths over memory are simulated in one process. The PostgreSQL server is
started in a temporary folder with a Unix socket; without its programs (Debian: postgresql) the store is
skipped with a line, unless WINDLASS_STRICT names `postgres`. The last line is `N passed, N failed`.

  --over STORE,..  only these: memory, folder, sqlite, postgres
  --kills N        instead, over folder, SQLite and PostgreSQL: kills runs of real tools at every named point and
                   at N random moments, resumes them, and checks records and effects
  --cost RECORDS   instead, over folder, SQLite and PostgreSQL: measures synced appends, and a whole run beside
                   the same run in memory; fails if the run with a model that takes 200 ms takes over 1.1 times as
                   long
  --fence ROUNDS   instead, over SQLite and PostgreSQL: stops the owner of a run (SIGSTOP) past its lease, takes
                   the run over, wakes the first owner, and checks that its write is refused and no effect is
                   doubled
  --outages RUNS   instead, over PostgreSQL: kills the server (SIGKILL) and starts it again while runs work, in a
                   second round also the processes of the runs, and compares each transcript with that of an
                   undisturbed run
  --suspended RUNS instead, over PostgreSQL: suspends runs, answers 200 of them, and measures the time until each
                   works again; fails if one takes 50 ms or more
  --seed N         with all but --cost: the seed of the moments

For example: `cargo xtask durable --over memory,folder,sqlite,postgres`";

const FEATURES: &str = "windlass-redteam/databases";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let modes = [
        ("--fence", "fence", "--rounds"),
        ("--kills", "crash", "--kills"),
        ("--cost", "cost", "--records"),
        ("--outages", "outage", "--runs"),
        ("--suspended", "suspended", "--runs"),
    ];
    let mut words = vec!["durable".to_owned()];
    for (flag, command, option) in modes {
        if let Some(value) = arguments.option(flag)? {
            if words.len() > 1 {
                bail!("give only one of --kills, --fence, --cost, --outages and --suspended");
            }
            words = vec![command.to_owned(), option.to_owned(), value];
        }
    }
    let is_crash = words.iter().any(|word| word == "crash");
    for name in ["--over", "--seed"] {
        if let Some(value) = arguments.option(name)? {
            words.extend([name.to_owned(), value]);
        }
    }
    if is_crash && !words.iter().any(|word| word == "--over") {
        words.extend(["--over", "folder,sqlite,postgres"].map(str::to_owned));
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
