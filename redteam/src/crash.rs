//! Kills a run at arbitrary moments, resumes it in another process, and checks the results (RULES R5, R6;
//! SECURITY "Figures to promise").

mod cancel;
mod checks;
mod conform;
mod cost;
#[cfg(feature = "databases")]
mod disturbed;
mod durable;
mod fence;
#[cfg(feature = "databases")]
mod outage;
mod place;
mod points;
mod script;
mod storage;
#[cfg(feature = "databases")]
mod suspended;
#[cfg(feature = "databases")]
mod transcript;
mod victim;
mod worker;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use windlass_testkit::split::SplitMix64;

pub(crate) use self::cancel::Cancel;
pub(crate) use self::checks::is_file_done;
pub(crate) use self::conform::Conform;
pub(crate) use self::cost::Cost;
pub(crate) use self::durable::Durable;
pub(crate) use self::fence::{Fence, Owner};
#[cfg(feature = "databases")]
pub(crate) use self::outage::Outage;
use self::place::Place;
pub(crate) use self::points::Point;
use self::storage::{RunStore, check_stores, with_address};
#[cfg(feature = "databases")]
pub(crate) use self::suspended::SuspendedRuns;
pub(crate) use self::victim::Victim;
pub(crate) use self::worker::Worker;

/// Options of the crash test.
#[derive(Debug, clap::Args)]
pub(crate) struct Crash {
    /// The number of kills at random moments.
    #[arg(long, default_value_t = 500)]
    kills: u32,
    /// The seed of the random moments.
    #[arg(long)]
    seed: Option<u64>,
    /// Kill only at the named points with this prefix, and not at random moments.
    #[arg(long)]
    only: Option<String>,
    /// The stores of the runs: folder, sqlite, postgres. Without any, each journal is a file without a store.
    #[arg(long, value_delimiter = ',')]
    over: Vec<String>,
    /// A folder for the runs.
    #[arg(long)]
    scratch: PathBuf,
}

/// The results of the runs so far.
#[derive(Debug, Default)]
struct Counts {
    runs: u32,
    kills: u32,
    resumes: u32,
    /// The number of named points, and the seed of the random moments.
    named: u32,
    seed: u64,
    problems: Vec<String>,
}

impl Crash {
    /// Creates the options for the catalogue of faults.
    pub(crate) fn for_fault(scratch: &Path) -> Self {
        Self { kills: 500, seed: None, only: None, over: Vec::new(), scratch: scratch.to_owned() }
    }

    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        if !self.over.is_empty() {
            return self.run_over_stores();
        }
        let (observed, problems) = self.count()?;
        for problem in &problems {
            println!("FAILED {problem}");
        }
        println!("{observed}");
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn run_over_stores(&self) -> anyhow::Result<ExitCode> {
        check_stores(&self.over, |name| {
            let counted = with_address(name, &self.scratch.join(name), |address| {
                self.count_over(Some(&Arc::new(RunStore::open(address)?)))
            })?;
            let Some(counts) = counted else { return Ok(None) };
            for problem in &counts.problems {
                println!("FAILED {name}: {problem}");
            }
            println!("{name}: {counts}");
            let failed = counts.problems.len();
            Ok(Some(((counts.runs as usize).saturating_sub(failed), failed)))
        })
    }

    /// Runs everything without a store. Returns the counts as text, and the problems found.
    pub(crate) fn count(&self) -> anyhow::Result<(String, Vec<String>)> {
        let counts = self.count_over(None)?;
        Ok((counts.to_string(), counts.problems))
    }

    fn count_over(&self, store: Option<&Arc<RunStore>>) -> anyhow::Result<Counts> {
        let seed = self.seed.unwrap_or_else(crate::engine::now_ms);
        let mut counts = Counts::default();
        let mut named = 0_u32;
        for point in Point::all() {
            if self.only.as_ref().is_some_and(|only| !point.to_string().starts_with(only.as_str())) {
                continue;
            }
            named = named.saturating_add(1);
            let place = Place::new(&self.scratch, &format!("point-{point}"), store)?;
            let outcome = place.kill_at_point(&point, &mut counts);
            counts.take(&place, &point.to_string(), outcome);
        }
        println!("{named} named points: {} kills, {} resumes", counts.kills, counts.resumes);
        if self.only.is_none() {
            self.at_random(seed, store, &mut counts)?;
        }
        (counts.named, counts.seed) = (named, seed);
        Ok(counts)
    }

    fn at_random(&self, seed: u64, store: Option<&Arc<RunStore>>, counts: &mut Counts) -> anyhow::Result<()> {
        let mut random = SplitMix64::new(seed);
        let whole = Place::new(&self.scratch, "whole", store)?;
        let began = Instant::now();
        let outcome = whole.run_without_kill(counts);
        let took = began.elapsed();
        counts.take(&whole, "a run that nobody kills", outcome);
        println!("a run that nobody kills takes {} ms", took.as_millis());
        let end = counts.kills.saturating_add(self.kills);
        let mut number = 0_u32;
        while counts.kills < end {
            number = number.saturating_add(1);
            let place = Place::new(&self.scratch, &format!("random-{number}"), store)?;
            let outcome = place.kill_at_random(&mut random, took, end, counts);
            counts.take(&place, &format!("random run {number}"), outcome);
            if number.is_multiple_of(10) {
                println!("{} kills, {} problems", counts.kills, counts.problems.len());
            }
        }
        Ok(())
    }
}

impl Counts {
    fn take(&mut self, place: &Place, name: &str, outcome: anyhow::Result<()>) {
        self.runs = self.runs.saturating_add(1);
        match outcome {
            Ok(()) => drop(fs::remove_dir_all(&place.folder)),
            Err(error) => self.problems.push(format!("{name}: {error:#} (kept: {})", place.folder.display())),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, kills, resumes, named, seed, problems } = self;
        write!(
            f,
            "{runs} runs, {kills} kills ({named} of them named points), {resumes} resumes, seed {seed}: {} problems (lost \
             records, doubled or missing changes, unpaired requests, runs that do not continue)",
            problems.len()
        )
    }
}
