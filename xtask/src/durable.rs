//! `cargo xtask durable`: runs the conformance kit for durable drivers over several stores, and checks fencing.

use std::process::ExitCode;

use anyhow::{Result, bail};
use xshell::{Cmd, Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::ci::Outcome;
use crate::project::target;
use crate::temporal;

pub(crate) const HELP: &str = "\
cargo xtask durable [--over STORE,..] [--kills N | --fence ROUNDS | --cost RECORDS |
                     --outages RUNS | --suspended RUNS] [--seed N]

Runs testkit's conformance kit for durable drivers over memory, a folder, SQLite, PostgreSQL and Temporal.

Real processes share a store and kill themselves at every point; others claim the run and resume it. Memory
ends with its process, so the deaths over memory are simulated in one process. The PostgreSQL server is
started in a temporary folder with a Unix socket; without its programs (Debian: postgresql) the store is
skipped with a line, unless WINDLASS_STRICT names `postgres`. The last line is `N passed, N failed`.

  --over STORE,..  only these: memory, folder, sqlite, postgres, temporal; the default is all but temporal, whose
                   server `cargo xtask temporal --install` installs and whose kit takes three minutes
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

For example: `cargo xtask durable --over memory,folder,sqlite,postgres,temporal`";

const FEATURES: &str = "windlass-redteam/databases";

/// The modes besides the conformance kit: the option, the command of the harness, and its option for the number.
const MODES: [(&str, &str, &str); 5] = [
    ("--fence", "fence", "--rounds"),
    ("--kills", "crash", "--kills"),
    ("--cost", "cost", "--records"),
    ("--outages", "outage", "--runs"),
    ("--suspended", "suspended", "--runs"),
];

/// The chosen work: the arguments of the harness, and whether the kit also runs over Temporal.
struct Plan {
    /// Empty if only the kit over Temporal is chosen.
    words: Vec<String>,
    has_temporal: bool,
}

pub(crate) fn run(sh: &Shell, arguments: Arguments) -> Result<ExitCode> {
    let plan = read_plan(arguments)?;
    if !plan.has_temporal {
        let harness = prepare_harness(sh, &plan.words)?;
        return Ok(Outcome::from_success(capture::pass_through(harness)?).exit_code());
    }
    let (mut passed, mut failed) = match temporal::conform(sh)? {
        Some((true, runs)) => (runs, 0),
        Some((false, _)) => (0, 1),
        None => (0, 0),
    };
    if !plan.words.is_empty() {
        let captured = capture::run(prepare_harness(sh, &plan.words)?, Keep::Stdout, |_| true)?;
        let counts = captured.lines.last().and_then(|line| parse_counts(line));
        let Some(counts) = counts else { bail!("the harness ended without its counts") };
        (passed, failed) = (passed + counts.0, failed + counts.1);
    }
    println!("with temporal: {passed} passed, {failed} failed");
    Ok(Outcome::from_success(failed == 0).exit_code())
}

fn read_plan(mut arguments: Arguments) -> Result<Plan> {
    let mut words = vec!["durable".to_owned()];
    for (flag, command, option) in MODES {
        if let Some(value) = arguments.option(flag)? {
            if words.len() > 1 {
                bail!("give only one of --kills, --fence, --cost, --outages and --suspended");
            }
            words = vec![command.to_owned(), option.to_owned(), value];
        }
    }
    let over = arguments.option("--over")?;
    let mut stores: Vec<&str> = over.iter().flat_map(|over| over.split(',')).collect();
    let has_temporal = stores.contains(&"temporal");
    stores.retain(|store| *store != "temporal");
    if has_temporal && words.len() > 1 {
        bail!("only the conformance kit runs over temporal; `cargo xtask temporal --scale` kills its runs");
    }
    let is_crash = words.iter().any(|word| word == "crash");
    if is_crash && stores.is_empty() {
        stores = vec!["folder", "sqlite", "postgres"];
    }
    if has_temporal && stores.is_empty() {
        words.clear();
    } else if !stores.is_empty() {
        words.extend(["--over".to_owned(), stores.join(",")]);
    }
    if let Some(seed) = arguments.option("--seed")? {
        words.extend(["--seed".to_owned(), seed]);
    }
    arguments.finish()?;
    Ok(Plan { words, has_temporal })
}

/// Builds the harness, and returns its command with an empty folder for its runs.
fn prepare_harness<'a>(sh: &'a Shell, words: &[String]) -> Result<Cmd<'a>> {
    let built = cmd!(sh, "cargo build --locked --quiet -p windlass-redteam --features {FEATURES} --bins");
    if !capture::pass_through(built)? {
        bail!("the harness cannot be built");
    }
    let target = target(sh);
    let (harness, scratch) = (target.join("debug/windlass-redteam"), target.join("durable"));
    sh.remove_path(&scratch)?;
    Ok(cmd!(sh, "{harness} {words...} --scratch {scratch}"))
}

/// Reads the counts of a line such as `12 passed, 0 failed`.
fn parse_counts(line: &str) -> Option<(usize, usize)> {
    let (passed, rest) = line.split_once(" passed, ")?;
    let (failed, _) = rest.split_once(" failed")?;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}
