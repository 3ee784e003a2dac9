//! The cost of records: appends to each store, and a whole run over each store beside the same run in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use windlass_agent::{Outcome, RunOptions};
use windlass_journal::{Durability, Journal, MemoryJournal};
use windlass_protocol::RawJson;

use super::script::{self, DelayedJob};
use super::storage::{RunStore, check_stores, with_synced_address};
use super::victim;

/// The largest time of a run with latency, as a multiple of its time in memory.
const LARGEST_RATIO: f64 = 1.1;
/// The length of a measured record in bytes, about that of an answer with a call.
const RECORD_BYTES: usize = 1_000;
/// The number of runs of which the fastest counts.
const RUNS: u32 = 5;
/// The time that the model takes to answer where it takes time at all.
const LATENCY: Duration = Duration::from_millis(200);

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Cost {
    /// The number of synced appends to each store.
    #[arg(long, default_value_t = 1_000)]
    records: u32,
    /// The stores: folder, sqlite, postgres.
    #[arg(long, value_delimiter = ',', default_value = "folder,sqlite,postgres")]
    over: Vec<String>,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The times of a run: without latency of the model, and with it.
#[derive(Clone, Copy)]
struct RunTimes {
    instant: Duration,
    delayed: Duration,
}

impl Cost {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let folder = self.scratch.join("cost");
        let base = time_runs(&folder.join("memory"), || Ok(Box::new(MemoryJournal::default())))?;
        println!(
            "memory: a run takes {}, and {} with a model that takes {LATENCY:?}",
            ms(base.instant),
            ms(base.delayed)
        );
        check_stores(&self.over, |name| {
            let is_fast = with_synced_address(name, &folder.join(name), |address| {
                self.measure(name, &folder.join(format!("{name}-runs")), address, base)
            })?;
            Ok(is_fast.map(|is_fast| (usize::from(is_fast), usize::from(!is_fast))))
        })
    }

    /// Measures a store. Returns whether a run over it takes at most the largest multiple of its time in memory.
    fn measure(&self, name: &str, folder: &Path, address: &str, base: RunTimes) -> anyhow::Result<bool> {
        let store = RunStore::open(address)?;
        let lease = store.claim_for("appends", Duration::from_hours(1))?;
        let mut times = self.append_to(&mut *lease.open_run_journal()?)?;
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        let whole: Duration = times.iter().sum();
        println!(
            "{name}: {:.0} appends a second, p50 {} us, p99 {} us",
            f64::from(self.records) / whole.as_secs_f64(),
            at(50).as_micros(),
            at(99).as_micros()
        );
        let mut number = 0;
        let runs = time_runs(folder, || {
            number += 1;
            Ok(store.claim_for(&format!("run-{number}"), Duration::from_hours(1))?.open_run_journal()?)
        })?;
        let ratio = |run: Duration, base: Duration| run.as_secs_f64() / base.as_secs_f64();
        let delayed = ratio(runs.delayed, base.delayed);
        println!(
            "{name}: a run takes {} ({:.2} times memory's), and {} with a model that takes {LATENCY:?} ({:.2} times)",
            ms(runs.instant),
            ratio(runs.instant, base.instant),
            ms(runs.delayed),
            delayed
        );
        Ok(delayed <= LARGEST_RATIO)
    }

    fn append_to(&self, journal: &mut dyn Journal) -> anyhow::Result<Vec<Duration>> {
        let body: RawJson = format!(r#"{{"text":"{}"}}"#, "x".repeat(RECORD_BYTES)).parse()?;
        let mut times = Vec::new();
        for _ in 0..self.records {
            let body = body.clone();
            let began = Instant::now();
            journal.append(body, 0, Durability::Synced)?;
            times.push(began.elapsed());
        }
        Ok(times)
    }
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

/// Returns the times of the fastest of some runs of the scripted job, each over a journal of its own.
fn time_runs(
    folder: &Path,
    mut open: impl FnMut() -> anyhow::Result<Box<dyn Journal + Send>>,
) -> anyhow::Result<RunTimes> {
    let mut fastest = |latency: Duration, runs: u32| -> anyhow::Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..runs {
            best = best.min(time_run(folder, open()?, latency)?);
        }
        Ok(best)
    };
    Ok(RunTimes { instant: fastest(Duration::ZERO, RUNS)?, delayed: fastest(LATENCY, 2)? })
}

fn time_run(folder: &Path, journal: Box<dyn Journal + Send>, latency: Duration) -> anyhow::Result<Duration> {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder.join("work"))?;
    script::lay_out(&folder.join("work"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let agent = victim::agent_with(folder, None, DelayedJob { latency })?;
        let options = RunOptions::default().with_journal(journal).with_outputs(folder.join("outputs"));
        let began = Instant::now();
        let outcome = agent.stream_with("take the steps", options).report().await?.outcome;
        anyhow::ensure!(matches!(outcome, Outcome::Completed { .. }), "the run ended: {outcome:?}");
        Ok(began.elapsed())
    })
}
