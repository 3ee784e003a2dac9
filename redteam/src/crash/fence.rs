//! Two processes on one run: the owner is stopped past its lease, another takes over, and the first wakes up.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use rustix::process::{Pid, Signal, kill_process};
use windlass_journal::{Durability, JournalError};
use windlass_store::{Heartbeat, Lease};
use windlass_testkit::split::SplitMix64;

use super::storage::{RunStore, check_stores, with_address};

/// The time of the owner's lease, which it renews at a third of it.
const LEASE: Duration = Duration::from_millis(120);
/// The number of records that the second owner appends.
const TAKEN_OVER: u64 = 5;

/// Options of the fencing check.
#[derive(Debug, clap::Args)]
pub(crate) struct Fence {
    /// The databases: sqlite, postgres.
    #[arg(long, value_delimiter = ',', default_value = "sqlite,postgres")]
    over: Vec<String>,
    /// The number of rounds over each database.
    #[arg(long, default_value_t = 200)]
    rounds: u32,
    /// The seed of the moments at which owners are stopped.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// Arguments of the process that owns a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Owner {
    /// The file to which each effect appends a line.
    effects: PathBuf,
    #[arg(long)]
    store: String,
    #[arg(long)]
    run: String,
    /// A file that is locked during each statement.
    #[arg(long)]
    busy: PathBuf,
}

/// The results of the rounds over one database.
#[derive(Debug, Default)]
struct Rounds {
    passed: u32,
    /// Rounds in which the first owner attempted a write after the take-over, and was refused.
    refused: u32,
    effects: usize,
    problems: Vec<String>,
}

impl Fence {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        check_stores(&self.over, |name| {
            ensure!(name != "folder", "leases do not expire in a folder: sqlite, postgres");
            let scratch = self.scratch.join("fence").join(name);
            let rounds = with_address(name, &scratch, |address| self.rounds_over(&scratch, address))?;
            let Some(rounds) = rounds else { return Ok(None) };
            for problem in &rounds.problems {
                println!("FAILED {name}: {problem}");
            }
            println!(
                "{name}: {} rounds, {} late writes refused, {} effects, {} problems (doubled effects, accepted late writes)",
                self.rounds,
                rounds.refused,
                rounds.effects,
                rounds.problems.len()
            );
            Ok(Some((rounds.passed as usize, rounds.problems.len())))
        })
    }

    fn rounds_over(&self, scratch: &Path, address: &str) -> anyhow::Result<Rounds> {
        let store = RunStore::open(address)?;
        let mut random = SplitMix64::new(self.seed);
        let mut rounds = Rounds::default();
        for number in 1..=self.rounds {
            let run = format!("fence-{number}");
            let effects = scratch.join(&run);
            let moment = Duration::from_micros(random.in_range(0, 30_000) as u64);
            match round(&store, &run, &effects, moment) {
                Ok((refused, count)) => {
                    rounds.passed += 1;
                    rounds.refused += u32::from(refused);
                    rounds.effects += count;
                }
                Err(error) => rounds.problems.push(format!("round {number}: {error:#}")),
            }
        }
        Ok(rounds)
    }
}

/// Performs a round. Returns whether the first owner reported a refused write, and the number of effects.
fn round(store: &RunStore, run: &str, effects: &Path, moment: Duration) -> anyhow::Result<(bool, usize)> {
    let mut owner = Command::new(std::env::current_exe()?)
        .arg("owner")
        .arg(effects)
        .args(["--store", store.address(), "--run", run])
        .arg("--busy")
        .arg(effects.with_extension("busy"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let ended = take_over(&mut owner, store, run, effects, moment);
    drop(owner.kill());
    drop(owner.wait());
    let (first, second) = ended?;
    check(store, run, effects, first, second)
}

/// Stops the owner, takes its run over, and wakes it. Returns whether it reported the loss, and the second
/// fencing number.
fn take_over(
    owner: &mut Child,
    store: &RunStore,
    run: &str,
    effects: &Path,
    moment: Duration,
) -> anyhow::Result<(bool, u64)> {
    let mut said = BufReader::new(owner.stdout.take().context("its output is piped")?).lines();
    ensure!(said.next().transpose()?.is_some_and(|line| line == "owns"), "it does not own its run");
    let pid = Pid::from_raw(i32::try_from(owner.id())?).context("a process has a number")?;
    std::thread::sleep(moment);
    let busy = File::create(effects.with_extension("busy"))?;
    loop {
        kill_process(pid, Signal::STOP)?;
        // SQLite uses a lock of the operating system. A process that is stopped in the middle of a transaction keeps
        // the lock, and all others wait. PostgreSQL ends the statement in the server.
        if !store.address().starts_with("sqlite:") || busy.try_lock().is_ok() {
            break;
        }
        kill_process(pid, Signal::CONT)?;
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(busy);
    // `claim_for` succeeds only after the lease has expired.
    let lease = store.claim_for(run, Duration::from_mins(10))?;
    let mut journal = lease.open_run_journal()?;
    let half = TAKEN_OVER / 2;
    for _ in 0..half {
        perform(&mut *journal, &*lease, effects)?;
    }
    kill_process(pid, Signal::CONT)?;
    // The first owner writes at the same time.
    for _ in half..TAKEN_OVER {
        perform(&mut *journal, &*lease, effects)?;
    }
    let mut refused = false;
    for line in said {
        refused |= line? == "refused";
    }
    ensure!(owner.wait()?.success(), "the first owner failed");
    Ok((refused, lease.fence()))
}

/// Checks that no record of the first owner follows one of the second, and that no effect was doubled.
fn check(
    store: &RunStore,
    run: &str,
    effects: &Path,
    refused: bool,
    second: u64,
) -> anyhow::Result<(bool, usize)> {
    ensure!(refused, "the first owner was not refused");
    let mut writers = Vec::new();
    for record in store.records(run)? {
        writers.push(record.read::<u64>()?);
    }
    ensure!(writers.is_sorted(), "a late record was accepted: {writers:?}");
    let taken = writers.iter().filter(|writer| **writer == second).count() as u64;
    ensure!(taken == TAKEN_OVER, "the second owner has {taken} records");
    let mut made: BTreeMap<String, u32> = BTreeMap::new();
    let text = fs::read_to_string(effects)?;
    for line in text.lines() {
        *made.entry(line.to_owned()).or_default() += 1;
    }
    for (effect, times) in &made {
        ensure!(*times == 1, "effect {effect} was made {times} times");
        let number: usize = effect.parse()?;
        ensure!(number < writers.len(), "effect {effect} has no record");
    }
    Ok((refused, made.len()))
}

/// Records an effect and then makes it: a line with the number of its record.
fn perform(
    journal: &mut dyn windlass_journal::Journal,
    lease: &dyn Lease,
    effects: &Path,
) -> Result<(), JournalError> {
    let body = lease.fence().to_string().parse().map_err(|source| JournalError::Encode { source })?;
    let number = journal.append(body, 0, Durability::Synced)?;
    let file = OpenOptions::new().create(true).append(true).open(effects);
    let written = file.and_then(|mut file| file.write_all(format!("{number}\n").as_bytes()));
    written.map_err(|source| JournalError::Io { path: effects.to_owned(), doing: "written", source })
}

impl Owner {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let store = RunStore::open(&self.store)?;
        let lease = store.claim_for(&self.run, LEASE)?;
        let mut journal = lease.open_run_journal()?;
        let busy = File::create(&self.busy)?;
        // Over SQLite the loop renews the lease itself, under the same lock.
        let is_sqlite = self.store.starts_with("sqlite:");
        let beat =
            (!is_sqlite).then(|| Heartbeat::start(Arc::clone(&lease), LEASE / 3, || {})).transpose()?;
        println!("owns");
        loop {
            busy.lock()?;
            let performed = perform(&mut *journal, &*lease, &self.effects);
            if is_sqlite && performed.is_ok() {
                drop(lease.renew());
            }
            busy.unlock()?;
            match performed {
                Ok(()) => std::thread::sleep(Duration::from_millis(1)),
                Err(JournalError::LeaseLost { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        println!("refused");
        drop(beat);
        Ok(ExitCode::SUCCESS)
    }
}
